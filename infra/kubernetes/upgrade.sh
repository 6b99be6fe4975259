#!/bin/sh
# Installs or upgrades a deployment without a stop: infra/kubernetes/upgrade.sh infra/kubernetes/overlays/production
# Migrates first and waits. A migration that fails changes nothing: the running release goes on. Then Kubernetes
# replaces one pod after the other.
set -eu
overlay=${1:?name an overlay, such as infra/kubernetes/overlays/production}
KUBECTL=${KUBECTL:-kubectl}

namespace=$($KUBECTL kustomize "$overlay/migration" | sed -n 's/^  namespace: //p' | head -n 1)
job() { $KUBECTL --namespace "${namespace:-default}" "$@"; }

job delete job migrate --ignore-not-found
$KUBECTL apply -k "$overlay/migration"
echo 'waiting for the migration …'
# `kubectl wait` knows one condition only; here there are two. Kubernetes sets others before these, such as
# SuccessCriteriaMet.
while :; do
  case $(job get job migrate --output 'jsonpath={.status.conditions[*].type}') in
    *Complete*) break ;;
    *Failed*)
      echo 'The migration failed. No pod was replaced: the running release goes on. docs/upgrades.md says what to do.' >&2
      exit 1
      ;;
  esac
  sleep 2
done
$KUBECTL apply -k "$overlay"
