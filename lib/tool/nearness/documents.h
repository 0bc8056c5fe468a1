/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_DOCUMENTS_H
#define TOOL_DOCUMENTS_H

#include <stdbool.h>

#include "base/mask.h"
#include "tool/lines/parallel.h"

/*
 * The documents among which near-duplicates are looked for: lines (or fields of
 * them), paragraphs with blank lines between, or whole files. A job sees batches
 * as it always does, in which line[i] is what is printed for document i: the
 * line, the paragraph, or the file's name.
 */
enum document_form { DOCUMENT_LINES, DOCUMENT_PARAGRAPHS, DOCUMENT_FILES };

struct documents {
	enum document_form form;
	enum mask_level norm;        /* of the text that is compared */
};

enum documents_option { DOCUMENTS_NORM = 768, DOCUMENTS_PARAGRAPH, DOCUMENTS_FILES };

#define DOCUMENTS_ROWS \
	{DOCUMENTS_NORM, "norm", "none|case|digits|log|typed", "take what is left when this is masked"}, \
	{DOCUMENTS_PARAGRAPH, "paragraph", NULL, "documents have blank lines between them"}, \
	{DOCUMENTS_FILES, "files", NULL, "each FILE is a document; print its name"}

/* Was it one of these? */
bool documents_option(struct documents *, int c);

/* Once options are parsed: refuse those that have no meaning with this form. */
void documents_check(const struct documents *);

/* As parallel_run. Without operands the names of files are lines of standard
 * input. Of a job for paragraphs both each and inorder run in the order of the
 * input. */
struct intake documents_run(const struct documents *, const struct job *, int argc, char **argv);

/* Of a batch that this worker has in each or inorder: the text to compare, masked,
 * until the worker's next call. False: a file that cannot be read, which has been
 * complained about. */
bool document_text(unsigned worker, const struct batch *, size_t i, struct slice *text);

/* The bytes of a file, "-" is standard input, without the newline at its end. */
enum status document_read(const char *name, struct buffer *text);

/* What is printed for a document, and its end: a newline, with -z NUL, or for a
 * paragraph a blank line. */
enum status document_put(struct buffer *, struct slice line);
/* The same to standard output, for which no memory is needed. */
void document_print(struct slice line);

/* What documents are called in a sentence: "lines". */
const char *documents_noun(const struct documents *);

void documents_free(void);

#endif
