/* sketchutils: BSD-2-Clause, see LICENSE */
#ifndef TOOL_SAVE_BODY_H
#define TOOL_SAVE_BODY_H

#include <stddef.h>
#include <sys/stat.h>

#include "base/status.h"

struct save;

/*
 * What the files of tool/files/save share: save_target.c finds which file is meant,
 * save_lock.c takes the lock, save.c writes and puts into place.
 */

/* The length of a path's folder, with its last slash; 0 if it has none. */
size_t path_folder(const char *path);

/* folder (of that length) + prefix + name + suffix, or NULL and errno. */
char *path_join(const char *folder, size_t len, const char *prefix, const char *name,
    const char *suffix);

/*
 * Follow symlinks by hand: the file at the end, s->target, is what is replaced, even
 * if it is not there yet. file->st_mode is 0 for a file to be created; *fd is the
 * descriptor if the path names one, else -1.
 */
enum status save_resolve(struct save *, struct stat *file, int *fd);

/* Make the temporary of s->target and lock it: s->temporary, s->fd, s->guard.
 * STATUS_BUSY after 60 seconds. */
enum status save_lock(struct save *);

void close_keeping_errno(int fd);
void unlink_keeping_errno(const char *path);

#endif
