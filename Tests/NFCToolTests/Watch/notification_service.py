"""A service for desktop notifications, for tests: prints each notification as a line of JSON.

Arguments: "markup" to support markup, "click" to click each notification that can be clicked.
"""

import json
import sys

from gi.repository import Gio, GLib

NAME = "org.freedesktop.Notifications"
PATH = "/org/freedesktop/Notifications"
INTERFACE = """
<node><interface name="org.freedesktop.Notifications">
  <method name="GetCapabilities"><arg type="as" direction="out"/></method>
  <method name="Notify">
    <arg type="s" direction="in"/><arg type="u" direction="in"/><arg type="s" direction="in"/>
    <arg type="s" direction="in"/><arg type="s" direction="in"/><arg type="as" direction="in"/>
    <arg type="a{sv}" direction="in"/><arg type="i" direction="in"/>
    <arg type="u" direction="out"/>
  </method>
  <signal name="ActionInvoked"><arg type="u"/><arg type="s"/></signal>
  <signal name="NotificationClosed"><arg type="u"/><arg type="u"/></signal>
</interface></node>
"""

shown = 0


def emit(bus, name, value):
    bus.emit_signal(None, PATH, NAME, name, value)


def click(bus, number):
    # The first is for an unknown notification, the second for another action, and the last one is valid.
    emit(bus, "ActionInvoked", GLib.Variant("(us)", (number + 1000, "default")))
    emit(bus, "ActionInvoked", GLib.Variant("(us)", (number, "other")))
    emit(bus, "ActionInvoked", GLib.Variant("(us)", (number, "default")))
    emit(bus, "NotificationClosed", GLib.Variant("(uu)", (number, 2)))


def call(bus, sender, path, interface, method, parameters, invocation):
    global shown
    if method == "GetCapabilities":
        words = ["actions", "body"] + (["body-markup"] if "markup" in sys.argv else [])
        invocation.return_value(GLib.Variant("(as)", (words,)))
        return
    application, _, _, title, body, actions, _, _ = parameters.unpack()
    shown += 1
    number = shown
    print(json.dumps([application, title, body, actions], ensure_ascii=False), flush=True)
    invocation.return_value(GLib.Variant("(u)", (number,)))
    if "click" in sys.argv and actions:
        GLib.timeout_add(50, click, bus, number)


def acquired(bus, name):
    node = Gio.DBusNodeInfo.new_for_xml(INTERFACE)
    bus.register_object(PATH, node.interfaces[0], call, None, None)


def named(bus, name):
    print("ready", flush=True)


Gio.bus_own_name(Gio.BusType.SESSION, NAME, Gio.BusNameOwnerFlags.NONE, acquired, named, None)
GLib.MainLoop().run()
