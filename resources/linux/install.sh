#!/bin/sh
# Installs Platform Companion from this folder: into ~/.local, or as root into /usr/local. PREFIX changes the folder.
# "install.sh --remove" removes it.
set -eu
name=platform-companion
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
if [ "$(id -u)" -eq 0 ]; then prefix=${PREFIX:-/usr/local}; else prefix=${PREFIX:-$HOME/.local}; fi
app=$prefix/lib/$name

if [ "${1:-}" = --remove ]; then
  (cd "$here/share" && find . -type f) | while IFS= read -r file; do rm -f "$prefix/share/$file"; done
  rm -f "$prefix/bin/companion" "$prefix/bin/$name"
  rm -rf "$app"
  echo "Removed Platform Companion from $prefix."
  echo 'Tools that it configured get no key any more. To undo their configuration, install it again, run'
  echo '"companion restore --all", and remove it again.'
  exit
fi

if [ "$here" != "$app" ]; then
  mkdir -p "$prefix/lib"
  rm -rf "$app"
  cp -R "$here" "$app"
fi
mkdir -p "$prefix/bin" "$prefix/share"
cp -R "$here/share/." "$prefix/share/"
sed "s|^Exec=.*|Exec=\"$app/$name\" %U|" "$here/share/applications/$name.desktop" >"$prefix/share/applications/$name.desktop"
ln -sf "$app/companion" "$prefix/bin/companion"
ln -sf "$app/$name" "$prefix/bin/$name"
# On systems without user namespaces, Chromium's sandbox helper must be setuid root.
if [ "$(id -u)" -eq 0 ]; then chown 0:0 "$app/chrome-sandbox" && chmod 4755 "$app/chrome-sandbox"; fi
if command -v update-mime-database >/dev/null; then update-mime-database "$prefix/share/mime" >/dev/null 2>&1 || true; fi
if command -v update-desktop-database >/dev/null; then update-desktop-database -q "$prefix/share/applications" || true; fi
echo "Installed Platform Companion in $app. Start it from the menu, or with $prefix/bin/$name."
missing=$(ldd "$app/$name" 2>/dev/null | sed -n 's/^[[:space:]]*\([^ ]*\) => not found$/\1/p' | tr '\n' ' ')
if [ -n "$missing" ]; then echo "It needs libraries that are not installed: $missing(README.md names their packages)"; fi
case ":$PATH:" in
  *":$prefix/bin:"*) ;;
  *) echo "For the command \"companion\", add $prefix/bin to PATH." ;;
esac
