import { readdir, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'

/** Where this app writes files by a temporary one beside them. */
const folders = ['.', 'bin', 'key-files', 'tools', 'tools/backups', 'tools/history']

/** How this app, in this and in earlier versions, names files that it is about to rename. */
const ours = [
  /^settings\.json\.tmp(-\w+)?$/,
  /^\..+\.[0-9a-f]{12}\.companion-tmp$/,
  /^companion(\.cmd)?\.\d+\.tmp$/,
  /^audit\.lock\.[0-9a-f-]{36}$/,
]

/** A write takes milliseconds; after so long whoever began it is gone. */
const deadMs = 10 * 60_000

/** Removes what killed writes left in the data folder. What cannot be removed now is left for the next start; never fails. */
export async function sweepTemporaries(dataDir: string, now: Date): Promise<void> {
  for (const folder of folders.map((name) => join(dataDir, name))) {
    const names = await readdir(folder).catch(() => [])
    for (const name of names.filter((one) => ours.some((form) => form.test(one)))) {
      const path = join(folder, name)
      const facts = await stat(path).catch(() => undefined)
      if (facts?.isFile() && now.getTime() - facts.mtimeMs > deadMs) await unlink(path).catch(() => undefined)
    }
  }
}
