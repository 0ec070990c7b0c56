#!/bin/sh
# Runs a program beside a PC/SC daemon of its own, which has the USB reader that both see.
#
#   service.sh FOLDER NOTES PROGRAM [ARGUMENT…]
#
# FOLDER is for the daemon's socket; the reader's rig writes to NOTES what happens to the device.
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

# It listens before it looks for readers, and answers after that.
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
