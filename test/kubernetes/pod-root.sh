#!/bin/sh
# Becomes the container of a pod, in namespaces of its own for mounts and processes: builds its root as a container runtime does and
# replaces itself by the command. Run by pod.ts, with
#   ROOT      an empty directory, the root to be
#   MOUNTS    a script that mounts the program and the volumes below $ROOT
#   OWNER     the user and the group
# and the command as arguments.
set -eu

mount --make-rprivate /
mount -t tmpfs -o mode=755 root "$ROOT"
for name in bin sbin lib lib32 lib64; do
  if [ -L "/$name" ]; then cp -a "/$name" "$ROOT/$name"; elif [ -d "/$name" ]; then bound="${bound:-} $name"; fi
done
for name in ${bound:-} usr etc; do
  mkdir "$ROOT/$name"
  mount --bind "/$name" "$ROOT/$name"
  mount -o remount,bind,ro "$ROOT/$name"
done
mkdir -p "$ROOT/opt" "$ROOT/proc" "$ROOT/dev" "$ROOT/tmp" "$ROOT/run" "$ROOT/var"
mount -t tmpfs -o mode=755 local "$ROOT/usr/local"
mkdir "$ROOT/usr/local/bin"
mount -t proc -o nosuid,nodev,noexec proc "$ROOT/proc"
mount -t tmpfs -o mode=755,nosuid dev "$ROOT/dev"
for name in null zero full random urandom; do
  : >"$ROOT/dev/$name"
  mount --bind "/dev/$name" "$ROOT/dev/$name"
done
mkdir "$ROOT/dev/shm"
mount -t tmpfs -o mode=1777,nosuid,nodev,noexec shm "$ROOT/dev/shm"
. "$MOUNTS"
mount -o remount,ro "$ROOT/usr/local"
mount -o remount,ro "$ROOT"
cd "$ROOT"
# Other credentials clear the signal that a process gets when its parent dies, so setpriv asks for it again.
exec chroot "$ROOT" setpriv "--reuid=$OWNER" "--regid=$OWNER" --clear-groups --pdeathsig=KILL --no-new-privs --bounding-set=-all \
  --inh-caps=-all --ambient-caps=-all env -i "$@"
