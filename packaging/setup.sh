# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# Shared by run.sh and test.sh: packages and build. Sourced, from the top of the checkout.
SETUP_CALLER=${OLDPWD:-$PWD}
# The build folder is in the checkout, and ignored by git. Root and other users do not share one.
SETUP_BUILD=build
if [ -d build ] && [ ! -O build ]; then
    SETUP_BUILD=build-$(id -un)
fi

SETUP_PACKAGES="gcc meson ninja-build pkg-config libc6-dev libelf-dev libdwarf-dev libunwind-dev
    libcmocka-dev libncurses-dev libprotobuf-c-dev protobuf-c-compiler zlib1g-dev liblzma-dev
    libiberty-dev libseccomp-dev libcapstone-dev libdebuginfod-dev
    libmicrohttpd-dev libcurl4-openssl-dev"

# Debug information names the build folder, and tests read that name. A ccache that ignores the
# folder (hash_dir=false) would give this build objects of another checkout.
export CCACHE_HASHDIR=1

# Prints those of the packages $1 that are not installed.
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

# Programs that read what we write, and programs that tests profile: "command:Debian package" each.
# Tests skip without them.
SETUP_READERS="chromium:chromium go:golang-go javac:default-jdk-headless npm:npm"
# Packages of npm: speedscope, for its importer; stackvis, a script that collapses stacks; carrier,
# by which stackvis reads lines.
SETUP_NPM="speedscope@1.25.0 stackvis@0.5.0 carrier@0.1.7"

# Runs apt-get with the arguments, as root, for at most $1 seconds; prints its output on failure.
setup_apt_get() {
    local seconds=$1 sudo='' words
    shift
    [ "$(id -u)" = 0 ] || sudo="sudo -n"
    words=$(timeout "$seconds" $sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq "$@" 2>&1) &&
        return
    echo "$words" | tail -n 3 >&2
    return 1
}

# Installs what is missing of SETUP_READERS, as far as that can be done. What cannot be downloaded
# in time is left out; an installation is not interrupted.
setup_readers() {
    local reader command package updated=
    for reader in $SETUP_READERS; do
        command=${reader%:*} package=${reader#*:}
        command -v "$command" >/dev/null && continue
        echo "+ apt-get install $package (optional)" >&2
        if [ -z "$updated" ]; then
            setup_apt_get 60 update || true
            updated=1
        fi
        setup_apt_get 120 install -y --no-install-recommends --download-only "$package" &&
            setup_apt_get 0 install -y --no-install-recommends "$package" ||
            echo "Package $package cannot be installed: tests that need $command are skipped." >&2
    done
}

# Unpacks what is missing of SETUP_NPM to $1/node_modules, as far as that can be done. npm checks
# each download by the registry's checksum. Scripts of the packages are not run, and their
# dependencies are not installed.
setup_npm() {
    local folder=$1/node_modules package name work
    command -v npm >/dev/null || return 0
    for package in $SETUP_NPM; do
        name=${package%@*}
        grep -qs "\"version\" *: *\"${package#*@}\"" "$folder/$name/package.json" && continue
        work=$(mktemp -d)
        echo "+ npm pack $package (optional)" >&2
        if (cd "$work" && timeout 60 npm pack --silent "$package" && tar -xzf ./*.tgz) >/dev/null
        then
            mkdir -p "$folder" && rm -rf "${folder:?}/$name"
            mv "$work"/*/ "$folder/$name"
        else
            echo "npm cannot get $package: tests that need it are skipped." >&2
            rm -rf "$work"
            return 0
        fi
        rm -rf "$work"
    done
}

# Configures (once) and builds folder $1, further arguments go to meson.
setup_build() {
    local dir=$1 log remark=
    shift
    if [ ! -f "$dir/build.ninja" ]; then
        echo "+ meson setup $dir $*" >&2
        remark=" (this takes minutes)"
        log=$(meson setup "$dir" "$@" 2>&1) || { echo "$log" >&2; exit 1; }
    fi
    echo "+ ninja -C $dir$remark" >&2
    log=$(ninja -C "$dir" 2>&1) || { echo "$log" >&2; exit 1; }
}
