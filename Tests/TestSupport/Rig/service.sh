#!/bin/sh
# Runs a program together with a private PC/SC daemon, which uses the USB reader that both find.
#
#   service.sh FOLDER NOTES PROGRAM [ARGUMENT…]
#
# FOLDER contains the daemon's socket. The reader's rig writes the events of the device to NOTES.
set -eu

folder=$1
notes=$2
shift 2
mkdir -p "$folder/run" "$folder/conf"

# shellcheck disable=SC2016 # the inner shell's
unshare -m sh -euc '
  mkdir -p /run/pcscd
  mount --bind "$1/run" /run/pcscd
  exec /usr/sbin/pcscd -f -c "$1/conf"
' sh "$folder" >/dev/null 2>&1 &
daemon=$!
trap 'kill "$daemon" 2>/dev/null || true; wait "$daemon" 2>/dev/null || true' EXIT

# The daemon listens before it searches for readers, and answers after that.
waited=0
until grep -qs claimed "$notes" && [ -S "$folder/run/pcscd.comm" ]; do
  waited=$((waited + 1))
  [ "$waited" -lt 200 ] || {
    echo 'the PC/SC daemon has not taken the reader' >&2
    exit 3
  }
  sleep 0.05
done

code=0
PCSCLITE_CSOCK_NAME=$folder/run/pcscd.comm "$@" || code=$?
exit "$code"
