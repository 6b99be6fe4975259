#!/bin/sh
# As the public image: root gives its folder to the user redis and becomes that user, but only for redis-server itself.
set -e
if [ "$1" = redis-server ] && [ "$(id -u)" = 0 ]; then
  chown -R redis:redis .
  exec setpriv --reuid=redis --regid=redis --clear-groups "$0" "$@"
fi
exec "$@"
