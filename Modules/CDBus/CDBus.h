// The whole of libdbus's public interface; nothing is added to it here.
#include <dbus/dbus.h>
