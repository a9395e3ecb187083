import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Machine } from './app'

/** Puts programs on a machine that answer `--version` as the real tools do, so that they are found there. */
export function installTools({ bin }: Machine): void {
  const versions = { claude: '2.1.330 (Claude Code)', opencode: '1.18.33' }
  for (const [name, version] of Object.entries(versions)) {
    writeFileSync(join(bin, name), `#!/bin/sh\necho "${version}"\n`)
    chmodSync(join(bin, name), 0o755)
  }
}

/** Writes a file of the person's own before the app comes. */
export function writeOwn(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
