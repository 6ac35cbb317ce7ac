#!/bin/sh
# Installs the Debian packages that are missing, and says which. Usage: system-packages.sh run|test|linux
set -eu

case "${1-}" in
    # The simulator's compiler and libraries, and Python's virtual environments.
    run) packages="g++ cmake ninja-build patch xz-utils libotcl1-dev libtclcl1-dev tclcl tcl-dev python3-venv" ;;
    # Unit tests of the queue's core, the distribution's own ns-2 to compare with and what its tests call, a browser to
    # open the report in.
    test) packages="libgtest-dev ns2 libperl4-corelibs-perl chromium" ;;
    # What a kernel is built with.
    linux) packages="g++ gcc make patch xz-utils flex bison bc binutils" ;;
    *) echo "usage: $0 run|test|linux" >&2; exit 2 ;;
esac

if ! command -v dpkg-query >/dev/null; then
    echo "setup: this is no Debian or Ubuntu; install the counterparts of these packages by hand, then run" \
        "'make setup SYSTEM_PACKAGES=skip':" $packages >&2
    exit 1
fi

missing=""
for package in $packages; do
    case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
        installed) ;;
        *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ]; then
    as_root=""
elif command -v sudo >/dev/null; then
    as_root="sudo"
else
    echo "setup: packages are missing and neither root nor sudo is at hand; ask for: apt-get install$missing" >&2
    exit 1
fi

echo "setup: installing Debian packages:$missing"
log=$(mktemp)
if ! { $as_root apt-get update && $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends $missing; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "setup: apt-get could not install the packages above (whole log: $log)" >&2
    exit 1
fi
rm -f "$log"
