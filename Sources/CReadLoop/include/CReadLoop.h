#ifndef C_READ_LOOP_H
#define C_READ_LOOP_H

#include <stdint.h>

/// Opens a reader by libnfc, selects the type A tag in its field and reads its page 4 `count` times,
/// as a plain C program would: the yardstick for what Swift adds.
///
/// Returns the nanoseconds that the loop took, or a negative number if anything failed.
int64_t c_read_loop(const char *connection_string, int count);

#endif
