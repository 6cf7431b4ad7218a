# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by run.sh and test.sh: packages and build. Sourced, from the top of the checkout.
SETUP_CALLER=${OLDPWD:-$PWD}
# The build lies in the checkout, which ignores it; root and others do not share one.
SETUP_BUILD=build
if [ -d build ] && [ ! -O build ]; then
    SETUP_BUILD=build-$(id -un)
fi

SETUP_PACKAGES="gcc meson ninja-build pkg-config libc6-dev libelf-dev libdwarf-dev libunwind-dev
    libcmocka-dev libncurses-dev libprotobuf-c-dev protobuf-c-compiler zlib1g-dev liblzma-dev
    libiberty-dev libseccomp-dev libcapstone-dev libdebuginfod-dev
    libmicrohttpd-dev libcurl4-openssl-dev"

# Names of those of $1 that are not installed.
setup_missing() {
    local package
    for package in $1; do
        dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
            printf '%s ' "$package"
    done
}

# Installs what is missing of SETUP_PACKAGES and of the arguments.
setup_packages() {
    local missing sudo=
    if ! command -v dpkg-query >/dev/null; then
        for tool in cc meson ninja pkg-config protoc-c; do
            command -v $tool >/dev/null || {
                echo "This is not Debian or Ubuntu. Install the equivalents of:" $SETUP_PACKAGES >&2
                exit 1
            }
        done
        return
    fi
    missing=$(setup_missing "$SETUP_PACKAGES $*")
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" != 0 ]; then
        command -v sudo >/dev/null || {
            echo "These packages are missing, and sudo too. As root: apt-get install $missing" >&2
            exit 1
        }
        sudo=sudo
    fi
    echo "+ apt-get install $missing" >&2
    $sudo apt-get update -qq
    # shellcheck disable=SC2086
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
        $missing >/dev/null
}

# Configures (once) and builds folder $1, further arguments go to meson.
setup_build() {
    local dir=$1 log
    shift
    if [ ! -f "$dir/build.ninja" ]; then
        echo "+ meson setup $dir $*" >&2
        log=$(meson setup "$dir" "$@" 2>&1) || { echo "$log" >&2; exit 1; }
    fi
    log=$(ninja -C "$dir" 2>&1) || { echo "$log" >&2; exit 1; }
}
