#!/bin/sh
# The steps of the workflow, to run anywhere: ci.sh plan|apply. SVC_URL and SVC_KEY name the service and the pipeline's key.
set -eu
# Not npx: where nothing is installed, it would fetch another program of that name and give it the key.
svc=node_modules/.bin/svc

case "$1" in
  plan)
    # 0: nothing would change, 2: something would. Anything else is a failure of the step.
    code=0
    "$svc" plan -f blueprint.yaml --detailed-exitcode --output table || code=$?
    [ "$code" -eq 0 ] || [ "$code" -eq 2 ] || exit "$code"
    echo "plan: exit code $code"
    ;;
  apply)
    "$svc" apply -f blueprint.yaml --yes --output table
    # What was applied is as the file says: a plan after it has no changes, and ends with 0.
    "$svc" plan -f blueprint.yaml --detailed-exitcode --output table
    ;;
  *)
    echo "ci.sh plan|apply" >&2
    exit 64
    ;;
esac
