/* sketchutils: BSD-2-Clause, see LICENSE */

/*
 * logmaker KIND LINES [SEED]: made-up input on standard output, the same bytes
 * on every machine. The demo, the manuals' examples and the benchmarks read it.
 *
 *	access    an Apache combined log: a few thousand pages, addresses that
 *	          follow Zipf's law, some of them shared by many browsers
 *	log       the same with most pages seen only a few times
 *	ids       9 bytes, every number as likely as any other
 *	urls      66 bytes, likewise
 *	docs      texts of about 2 KB in Zipf's words; every tenth is an earlier
 *	          one with a few words changed
 *	messages  short ones of a log, in which names and numbers vary
 *	nums      response times in microseconds
 *
 * The names of things depend on their rank alone, so that two days made with
 * two seeds share their visitors as two days do.
 */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "draw.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct visitor {
	char address[40];
	char agent[160];
};

/* Every rank has its own address: an odd factor permutes 32-bit numbers. */
static void
name_visitor(struct visitor *v, uint32_t rank, uint32_t browser)
{
	static const char *const system[] = {
		"Windows NT 10.0; Win64; x64", "Macintosh; Intel Mac OS X 10_15_7",
		"X11; Linux x86_64", "Linux; Android 14; Pixel 8", "Linux; Android 13; SM-A546B",
	};
	uint32_t a = (rank + 1) * UINT32_C(2654435761);
	uint64_t h = mix((uint64_t)browser << 32 | rank);
	const char *os = system[h % COUNT(system)];
	unsigned version = 109 + (unsigned)(h >> 8) % 24;

	if (h >> 60 == 0 && browser == 0)
		snprintf(v->address, sizeof(v->address), "2001:db8:%x:%x::%x", a >> 16,
		    a & 0xffff, 1 + (unsigned)(h & 0xff));
	else
		snprintf(v->address, sizeof(v->address), "%u.%u.%u.%u", 1 + (a >> 24) % 223,
		    a >> 16 & 255, a >> 8 & 255, a & 255);
	switch (h >> 16 & 15) {
	case 0:
		snprintf(v->agent, sizeof(v->agent), "Mozilla/5.0 (compatible; Googlebot/2.1; "
		    "+http://www.google.com/bot.html)");
		break;
	case 1:
		snprintf(v->agent, sizeof(v->agent), "curl/7.%u.%u", 60 + version % 28, version % 3);
		break;
	case 2: case 3: case 4:
		snprintf(v->agent, sizeof(v->agent), "Mozilla/5.0 (%s; rv:%u.0) Gecko/20100101 "
		    "Firefox/%u.0", os, version, version);
		break;
	case 5: case 6: case 7:
		snprintf(v->agent, sizeof(v->agent), "Mozilla/5.0 (iPhone; CPU iPhone OS 17_%u like "
		    "Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.%u Safari/604.1",
		    version % 7, version % 7);
		break;
	default:
		snprintf(v->agent, sizeof(v->agent), "Mozilla/5.0 (%s) AppleWebKit/537.36 (KHTML, "
		    "like Gecko) Chrome/%u.0.0.0 Safari/537.36", os, version);
	}
}

static void
name_page(char *out, uint32_t rank)
{
	static const char *const kind[] = {
		"/%s", "/blog/%s", "/docs/%s.html", "/img/%s.png", "/shop/%s", "/api/v2/%s",
		"/static/%s.css", "/forum/%s",
	};
	char name[64];
	size_t n = word(name, rank & 32767);

	if (rank == 0) {
		strcpy(out, "/");
		return;
	}
	if (rank > 32767)
		snprintf(name + n, sizeof(name) - n, "-%u", rank >> 15);
	/* The format comes from the table above. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	sprintf(out, kind[mix(rank) % COUNT(kind)], name);
#pragma GCC diagnostic pop
}

/* Seven days from Monday, 6 October 2025, whatever the number of lines. */
static void
make_log(uint64_t lines, uint32_t addresses, uint32_t pages, double flat)
{
	static const char *const status[] = {
		"200", "200", "200", "200", "200", "200", "200", "304", "304", "404", "301", "500",
	};
	static struct zipf visitors, targets;
	struct visitor v;
	char page[128], from[128];

	zipf_init(&visitors, addresses, flat);
	zipf_init(&targets, pages, 3);
	for (uint64_t i = 0; i < lines; i++) {
		uint32_t rank = zipf_draw(&visitors);
		unsigned second = (unsigned)(i * 604800 / lines);
		const char *code = status[below(COUNT(status))];
		unsigned size = (unsigned)(below(64) ? 180 + below(24000) : below(900000));
		const char *method = below(20) ? "GET" : "POST";

		/* Who comes often is a proxy with many browsers behind it. */
		name_visitor(&v, rank, (uint32_t)below(2 + 800 / (rank + 4)));
		name_page(page, zipf_draw(&targets));
		strcpy(from, "-");
		if (below(3) == 0)
			name_page(stpcpy(from, "https://example.com"), (uint32_t)below(64));
		printf("%s - - [%02u/Oct/2025:%02u:%02u:%02u +0000] \"%s %s HTTP/1.1\" %s %u "
		    "\"%s\" \"%s\"\n", v.address, 6 + second / 86400, second / 3600 % 24,
		    second / 60 % 60, second % 60, method, page, code,
		    *code == '3' ? 0 : size, from, v.agent);
	}
}

static void
make_access(uint64_t lines)
{
	make_log(lines, 150000, 4000, 12);
}

static void
make_bench_log(uint64_t lines)
{
	make_log(lines, 1500000, 2200000, 60);
}

static void
make_ids(uint64_t lines)
{
	for (uint64_t i = 0; i < lines; i++)
		printf("%08u\n", (unsigned)(10000000 + below(lines)));
}

static void
make_urls(uint64_t lines)
{
	for (uint64_t i = 0; i < lines; i++) {
		uint64_t page = below(lines);

		printf("https://www.example.com/shop/%08x/item-%08u/view?ref=%06x\n",
		    (unsigned)mix(page), (unsigned)page, (unsigned)mix(page + 1) & 0xffffff);
	}
}

/* A text of ranks of words, so that a copy can be changed word by word. */
struct text {
	unsigned n;
	uint32_t rank[256];
};

static void
print_text(const struct text *t)
{
	char name[64];

	for (unsigned i = 0; i < t->n; i++) {
		if (i > 0)
			putchar(' ');
		fwrite(name, 1, word(name, t->rank[i]), stdout);
	}
	putchar('\n');
}

static void
make_docs(uint64_t lines)
{
	static struct zipf words;
	static struct text kept[1024];
	uint64_t nkept = 0;

	zipf_init(&words, 32768, 8);
	for (uint64_t i = 0; i < lines; i++) {
		struct text t;

		if (nkept > 0 && below(10) == 0) {
			t = kept[below(nkept < 1024 ? nkept : 1024)];
			for (uint64_t edits = 1 + below(3); edits > 0; edits--) {
				unsigned place = (unsigned)below(t.n);

				t.rank[place] = zipf_draw(&words);
			}
		} else {
			t.n = (unsigned)(200 + below(56));
			for (unsigned j = 0; j < t.n; j++)
				t.rank[j] = zipf_draw(&words);
			kept[nkept++ % 1024] = t;
		}
		print_text(&t);
	}
}

static void
make_messages(uint64_t lines)
{
	static const char *const message[] = {
		"worker %u took too long to answer the request for the front page and was "
		"stopped after thirty seconds by the supervisor of pool %s",
		"the connection to the database on host %s was reset by the peer while reading "
		"the rows of the order table, trying again in a moment, attempt %u of many",
		"user %s asked for a new password, a letter with a link that is good for one "
		"hour was handed to the mail server under the number %u",
		"disk %s is filling up: the cleaner has removed old uploads, thumbnails and "
		"sessions and freed %u megabytes, which lasts for about a day",
		"the certificate of the site will end soon, the renewal was asked for by %s and "
		"has the number %u in the queue of the authority",
		"payment service of partner %s did not confirm the order in time, it is kept "
		"back and checked again by the nightly job number %u",
		"cache node %s left the ring, its keys move to the neighbours, expect more "
		"misses than usual for the next %u seconds",
		"import of the price list from supplier %s finished, all rows were read and "
		"compared with the list of yesterday, %u of them have changed",
	};
	char name[64];

	for (uint64_t i = 0; i < lines; i++) {
		const char *text = message[below(COUNT(message))];
		unsigned number = (unsigned)below(90000) + 1000;

		word(name, (uint32_t)below(64));
		for (const char *p = text; *p; p++) {
			if (*p != '%')
				putchar(*p);
			else if (*++p == 's')
				fputs(name, stdout);
			else
				printf("%u", number);
		}
		putchar('\n');
	}
}

/* A sum of squares is skewed to the right, as waiting is. */
static void
make_nums(uint64_t lines)
{
	for (uint64_t i = 0; i < lines; i++) {
		uint64_t a = below(64), b = below(64), c = below(100) ? 0 : below(300);

		printf("%u\n", (unsigned)(120 + a * a + b * b + c * c));
	}
}

static const struct {
	const char *name;
	void (*make)(uint64_t lines);
} kinds[] = {
	{"access", make_access}, {"log", make_bench_log}, {"ids", make_ids},
	{"urls", make_urls}, {"docs", make_docs}, {"messages", make_messages},
	{"nums", make_nums},
};

int
main(int argc, char *argv[])
{
	if (argc != 3 && argc != 4) {
		fputs("usage: logmaker KIND LINES [SEED]\n", stderr);
		return 2;
	}
	state = mix(argc == 4 ? strtoull(argv[3], NULL, 10) : 1);
	for (size_t i = 0; i < COUNT(kinds); i++) {
		if (strcmp(argv[1], kinds[i].name) == 0) {
			kinds[i].make(strtoull(argv[2], NULL, 10));
			return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 3;
		}
	}
	fprintf(stderr, "logmaker: no kind '%s'\n", argv[1]);
	return 2;
}
