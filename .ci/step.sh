# step NAME COMMAND...: runs it, keeps its output in $logs, and counts its tests, or one for the step itself, in $passed and $failed.
# A command that ends with 75 (EX_TEMPFAIL) could not run here: it is counted nowhere and named in $not_run.
step() {
  local name=$1; shift
  local log="$logs/${name// /-}.log" begun; begun=$(date +%s)
  printf '\n== %s\n' "$name"
  local code=0
  "$@" < /dev/null > >(tee "$log") 2>&1 || code=$?
  sleep 0.2
  local result=ok
  if [ "$code" = 75 ]; then
    result='not run'
    not_run="${not_run:+$not_run, }$name"
  else
    local counts p f
    counts=$(grep -aE '^Tests: ' "$log" || true)
    p=$(printf '%s\n' "$counts" | grep -oE '[0-9]+ passed' | awk '{s+=$1} END {print s+0}')
    f=$(printf '%s\n' "$counts" | grep -oE '[0-9]+ failed' | awk '{s+=$1} END {print s+0}')
    if [ "$code" = 0 ] && [ "$p" = 0 ]; then p=1; fi
    if [ "$code" != 0 ] && [ "$f" = 0 ]; then f=1; fi
    if [ "$code" = 0 ]; then f=0; fi # what failed went well when it was run again
    passed=$((passed + p)); failed=$((failed + f))
    [ "$code" = 0 ] || result=FAILED
  fi
  printf '== %s: %s in %ss\n' "$name" "$result" "$(( $(date +%s) - begun ))"
  [ "$result" != FAILED ]
}

# ahead NAME COMMAND...: begins a command beside the next steps. `step NAME result NAME` is its step: it waits for the command, shows what it said and ends as it did.
ahead() {
  local name=$1; shift
  { local since=$SECONDS code=0; "$@" || code=$?; echo "it took $(( SECONDS - since ))s beside other steps"; exit "$code"; } < /dev/null > "$logs/$name.ahead" 2>&1 &
  echo $! > "$logs/$name.pid"
}
result() {
  local code=0
  wait "$(cat "$logs/$1.pid")" || code=$?
  cat "$logs/$1.ahead"
  return "$code"
}

# summary: what did not run, then "N passed, N failed". Fails when a step did.
summary() {
  if [ -n "$not_run" ]; then echo "not run: $not_run"; fi
  echo "$passed passed, $failed failed"
  [ "$failed" = 0 ]
}
