#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# --push: profiles are sent to a store, a program of the test's own. It is absent at first, then
# accepts them, then refuses or does not answer.
. "$(dirname "$0")/../lib.sh"
command -v python3 >/dev/null || skip "needs python3"
[ -x "$BUILD/tools/sprofil-push" ] || skip "built without libcurl"
SPROFSERVE=$BUILD/tools/sprofserve
STORE=$SOURCE/tests/e2e/store.py
taken() { [ "$(ls stored 2>/dev/null | wc -l)" -ge "$1" ]; }

mkdir stored
port=$(python3 "$STORE" free)
"$TARGETS/busy" 1 600 0 & target=$!
wait_until "the target runs" 20 grep -qx busy /proc/$target/comm
"$SPROFSERVE" --push "http://user:hidden@127.0.0.1:$port" --push-every 1s -v -p $target 2>err &
server=$!
wait_until "the store is missed" 20 grep -q 'the store takes no profile (.*): tried again' err
check "no password in the sender's command line" [ -z "$(pgrep -f 'sprofil-push' |
    while read -r pid; do tr '\0' '\n' 2>/dev/null <"/proc/$pid/cmdline" | grep hidden; done)" ]
python3 "$STORE" serve $port stored & store=$!
wait_until "profiles reach it" 30 taken 4
wait_until "that is said" 20 grep -q 'the store takes profiles again; 0 were given up' err
check "one that it refuses is not sent again" \
    grep -q 'the store refuses a profile: status 400: no' err
first=$(ls stored | head -1)
check "they are told by name and time, as its interface wants them" \
    grep -qE '^/ingest\?format=pprof&name=busy&from=[0-9]+&until=[0-9]+&spyName=sprofil$' \
    "stored/$first/request"
check "of the function that runs" \
    grep -qP '\tspin\t' <("$SPROFREPORT" --format tsv "stored/$first/profile.pb.gz")
check "without a gap but the second of the refused one, nor twice" awk -F'[=&]' '
    NR > 1 && $6 != last { if ($6 == last + 1) gaps++; else bad = 1 } { last = $8 }
    END { exit bad || gaps > 1 || NR < 4 }' <(sort -u stored/*/request)
before=$(ls stored | wc -l)
kill -INT $server; wait $server; is "^C ends it, and a profile was refused" $? 125
check "the last part is sent, too" taken $((before + 1))
kill $store; wait $store 2>/dev/null
kill $target

# A password on the command line is overwritten there; one in a file never appears there.
line() { tr '\0' ' ' <"/proc/$1/cmdline"; }
"$TARGETS/busy" 1 600 0 & target=$!
"$SPROFSERVE" --push "http://user:hidden@127.0.0.1:$port/in?a=b" -p $target 2>err & server=$!
wait_until "it is attached" 20 is_profiled $target
is "the password is not in ps" "$(line $server | grep -o 'http.*in?a=b')" \
    "http://user:******@127.0.0.1:$port/in?a=b"
check "that it was is said" \
    grep -q 'could be seen .*: write the URL into a file, .* --push-from' err
kill -INT $server; wait $server
printf '  http://user:hidden@127.0.0.1:%s \nmore\n' $port >address
mkdir again
python3 "$STORE" serve $port again all & store=$!
"$SPROFSERVE" --push-from address --push-every 1s -p $target 2>err & server=$!
wait_until "profiles reach the store of a file" 30 sh -c 'ls again | grep -q .'
check "no password in ps" [ -z "$(line $server | grep hidden)" ]
kill -INT $server; wait $server; is "^C ends it" $? 0
before=$(ls again | wc -l)
"$SPROFSERVE" --push "http://127.0.0.1:$port" -d 2s -p $target 2>err
is "a run shorter than a span: status" $? 0
is "its profile is in the store" "$(ls again | wc -l)" $((before + 1))
kill $store; wait $store 2>/dev/null
"$SPROFSERVE" --push "http://127.0.0.1:$port" -d 2s -p $target 2>err
is "no store: status" $? 125
# Each failed try doubles the interval to the next one; after the end of the profile nothing is
# tried twice.
timeout 60 "$SPROFSERVE" --push "http://127.0.0.1:$port" --push-every 1s -d 6s -p $target 2>err
is "no store for several profiles: ends all the same" $? 125
check "no store: how many is said" grep -qE '^sprofserve: [3-9] profiles did not reach' err
python3 "$STORE" serve $port none mute & store=$!
wait_until "a store that does not answer is there" 20 bash -c ": <>/dev/tcp/127.0.0.1/$port"
timeout 30 "$SPROFSERVE" --push "http://127.0.0.1:$port" --push-every 1s -d 3s -p $target 2>err2
is "a store that does not answer: status" $? 125
check "a store that does not answer: is said" grep -q 'no answer within 5 s' err2
check "a store that does not answer: what is lost, too" grep -q 'did not reach the store' err2
kill $store; wait $store 2>/dev/null
check "no store: is said" grep -q '^sprofserve: [0-9]* profiles* did not reach the store' err
"$SPROFRUN" -q --push "http://127.0.0.1:$port" -d 2s -o p.pb.gz -p $target 2>err
is "no store for sprofrun: status" $? 125
"$SPROFSERVE" -q --push "http://127.0.0.1:$port" sh -c 'exit 7' 2>err
is "of a command the status stays its own" $? 7
kill $target
: >empty; echo nothing >foreign
for file in empty foreign missing; do
    "$SPROFSERVE" --push-from $file true 2>bad; is "$file file: status" $? 2
    check "$file file: is said" grep -q "cannot use --push-from '$file': [a-zA-Z]" bad
done
"$SPROFSERVE" --push-every 2s true 2>bad; is "nothing to push: status" $? 2
check "nothing to push: is said" grep -q -e "--push-every '2s': it belongs to --push" bad

for url in ftp://x http:// https:///x http://:80 http://user:word@ 'http://?x'; do
    "$SPROFSERVE" --push "$url" true 2>bad; is "$url: status" $? 2
    check "$url: is said" grep -qF "bad address '$url'" bad
done
"$SPROFSERVE" --push http://x --push-every 1ms true 2>bad; is "too often: status" $? 2
finish
