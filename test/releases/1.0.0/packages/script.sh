#!/bin/sh
# A script as somebody writes it who has only /docs and the package: KONTOR and TOKEN are an installation's, and `kontor` is
# installed. It ends with 0 if each answer is what it relies on.
set -eu
fail() { echo "$1" >&2; exit 1; }
expect() { test "$1" = "$2" || fail "expected $2, not $1"; }

echo "$TOKEN" | kontor login --url "$KONTOR" --profile stranger > /dev/null
export KONTOR_PROFILE=stranger
kontor doctor --json | grep -q '"check":"token","ok":true' || fail 'doctor is not content'

customer=$(kontor create customers --type customer --company-name 'Bäckerei Nord' --city Kiel --json |
  sed 's/.*"id":"\([^"]*\)".*/\1/')
expect "$(kontor graphql 'query ($id: UUID!) { customer(id: $id) { companyName city } }' --variables "{\"id\":\"$customer\"}")" \
  '{"customer":{"companyName":"Bäckerei Nord","city":"Kiel"}}'
kontor update customers "$customer" --country DE --clear city > /dev/null
expect "$(kontor get customers "$customer" --json | grep -c '"city":null')" 1

# Two lines succeed, and one is refused: the exit code is 5.
code=0
printf '%s\n' '{"name":"North"}' '{"name":""}' '{"name":"South"}' |
  kontor bulk projects create - --results results.jsonl > /dev/null 2> refused.txt || code=$?
expect "$code" 5
expect "$(grep -c '"status":201' results.jsonl) $(grep -c '"status":422' results.jsonl)" '2 1'
expect "$(kontor list customers --q nord --all --json | grep -c Nord)" 1

# Exit codes tell what happened.
code=0; kontor get customers 0190a1b2-c3d4-7000-8000-000000000000 2> /dev/null || code=$?
expect "$code" 4
code=0; kontor list nothing 2> /dev/null || code=$?
expect "$code" 2
code=0; kontor list customers --token nonsense --url "$KONTOR" 2> /dev/null || code=$?
expect "$code" 3
kontor delete customers "$customer" > /dev/null
kontor logout --profile stranger > /dev/null
echo done
