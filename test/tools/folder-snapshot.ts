import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { listFilesContaining } from '../support/canary'

/** Kind, mode, and content or link target of every path under a folder. */
export function takeSnapshot(folder: string): Record<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()
  return Object.fromEntries(paths.map((path) => [path, readStatus(join(folder, path))]))
}

/** Paths of files under a folder that contain a key in plain text, base64 or hex. */
export function listFilesWithKey(folder: string, key: string): string[] {
  const keyForms = [
    key,
    ...[0, 1, 2].map((offset) => encodeBase64AtOffset(key, offset)),
    Buffer.from(key).toString('hex'),
  ]
  return [...new Set(keyForms.flatMap((form) => listFilesContaining(folder, form)))]
}

/**
 * Characters of a text's base64 form that do not depend on the surrounding bytes, if the text starts at this offset
 * (mod 3).
 */
function encodeBase64AtOffset(text: string, offset: number): string {
  return Buffer.from(`${'x'.repeat(offset)}${text}`)
    .toString('base64')
    .slice(offset === 0 ? 0 : 4, -4)
}

function readStatus(path: string): string {
  const fileStats = lstatSync(path)
  const mode = (fileStats.mode & 0o777).toString(8)
  if (fileStats.isSymbolicLink()) return `link to ${readlinkSync(path)}`
  if (fileStats.isDirectory()) return `folder ${mode}`
  return fileStats.isFile() ? `file ${mode} ${readFileSync(path).toString('base64')}` : 'neither file nor folder'
}
