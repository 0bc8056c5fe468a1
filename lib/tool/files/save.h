/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_SAVE_H
#define TOOL_SAVE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/bytes.h"
#include "base/status.h"

/*
 * Replacing a file so that a reader sees the old one or the new one, whole,
 * and so that two writers take turns. The temporary is the lock: .NAME.new
 * in the same folder, locked with flock, then checked to be still the file of
 * that name (else tried again). Who holds it may read the old file, write the
 * new one and rename it into place. A temporary that nobody holds was left by
 * a process that died: the next one takes its lock, removes it and makes its
 * own, so that neither its bytes nor its mode nor its owner live on.
 *
 * The target's mode is kept, a symlink's target is what is replaced, and a
 * fifo, a device, /dev/stdout or /dev/fd/N is written through. While a save is
 * open, SIGINT, SIGTERM and SIGHUP remove the temporary before they kill,
 * unless the program has a handler of its own; die() removes it as well.
 * Up to two saves at a time in a process, opened by one thread.
 */
struct save {
	const char *path;            /* as the user named it; borrowed */
	char *target, *temporary;    /* resolved; temporary NULL when written through */
	int fd;
	int lock;                    /* the temporary's, while fd is the interim's */
	unsigned guard;              /* of the temporary */
	char *interim;
	unsigned interim_guard;
	int error;                   /* errno of the write that failed, if one did */
};

/* Open and lock. Waits up to 60 seconds for another writer (STATUS_BUSY).
 * STATUS_SYSTEM: errno says why (a missing or read-only folder, ...). */
enum status save_open(struct save *, const char *path);

/* Append. STATUS_SYSTEM, errno set (ENOSPC, EDQUOT, EFBIG ...); after that
 * save_commit fails too. */
enum status save_write(struct save *, const void *, size_t);

/* fsync, rename into place, fsync the folder, release. On failure the old
 * file is untouched and the temporary removed, as by save_abort. (But if the
 * last step fails, the folder's fsync, the new file is in its place already.) */
enum status save_commit(struct save *);

/*
 * To replace the file and go on: what is written between these two is put into
 * place, whole, and the lock stays. It goes to a second temporary, .NAME.now,
 * which only who has the lock may touch. Nothing must have been written before,
 * nor is after it; then the next interim or the last content may follow. On
 * failure, as by save_commit; save_abort is left to do. Not of a file that is
 * written through.
 */
enum status save_interim(struct save *);
enum status save_interim_commit(struct save *);

/* Forget it: remove the temporary, release the lock. Safe to call twice, and
 * on a struct that is all zero. */
void save_abort(struct save *);

#endif
