#!/bin/sh
# Fills each password and token that is empty in an env file: infra/docker/fill-passwords.sh production.env
set -eu
file=${1:?name an env file}
filled=$(mktemp)
while IFS= read -r line; do
  case $line in
    *_PASSWORD= | *_TOKEN=) printf '%s%s\n' "$line" "$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')" ;;
    *) printf '%s\n' "$line" ;;
  esac
done < "$file" > "$filled"
cat "$filled" > "$file"
rm "$filled"
