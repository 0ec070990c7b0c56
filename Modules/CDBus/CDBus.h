// The whole of libdbus's public interface; nothing is added to it here.
#if __has_include(<dbus/dbus.h>)
#include <dbus/dbus.h>
#else
#error "dbus/dbus.h is missing: sudo apt-get install libdbus-1-dev"
#endif
