import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname } from 'node:path'

const flags = ['--xattrs', '--xattrs-include=*', '--acls']

/**
 * Creates a file with an extended attribute and an access list entry, where the system and disk support them. Node has
 * no API for either, but GNU tar restores both from an archive.
 */
export function writeWithAttributes(path: string, content: Uint8Array): void {
  const records = [
    record('SCHILY.xattr.user.companion', 'a value of somebody else'),
    record('SCHILY.acl.access', 'user::rw-,user:12345:r--,group::r--,mask::r--,other::---'),
  ].join('')
  const input = Buffer.concat([
    entry(basename(path), 'x', Buffer.from(records)),
    entry(basename(path), '0', content),
    Buffer.alloc(1024),
  ])
  if (process.platform === 'linux') spawnSync('tar', [...flags, '-xf', '-', '-C', dirname(path)], { input })
  if (!existsSync(path)) writeFileSync(path, content, { mode: 0o640 })
}

/** Attributes and access list of a file as comparable text. */
export function readAttributes(path: string): string {
  if (process.platform !== 'linux') return ''
  const target = ['-C', dirname(path), '--', basename(path)]
  const { stdout } = spawnSync('tar', [...flags, '--format=posix', '-cf', '-', ...target], { maxBuffer: 64_000_000 })
  const head = stdout.subarray(0, 4096).toString('latin1')
  const records = head.match(/SCHILY\.(?:xattr|acl)\.[^\n]*(?:\n(?:user|group|mask|other):[^\n]*)*/g)
  return (records ?? []).join('\n')
}

/** A record of a pax header, with its length in bytes, a name and a value. */
function record(name: string, value: string): string {
  const paxRecord = ` ${name}=${value}\n`
  const length =
    [2, 3].map((digits) => paxRecord.length + digits).find((sum, index) => String(sum).length === index + 2) ?? 0
  return `${length}${paxRecord}`
}

function entry(name: string, type: string, content: Uint8Array): Buffer {
  const header = Buffer.alloc(512)
  header.write(name, 0)
  header.write('0000640\0', 100)
  header.write(`${(process.getuid?.() ?? 0).toString(8).padStart(7, '0')}\0`, 108)
  header.write(`${(process.getgid?.() ?? 0).toString(8).padStart(7, '0')}\0`, 116)
  header.write(`${content.length.toString(8).padStart(11, '0')} `, 124)
  header.write('00000000000 ', 136)
  header.write('        ', 148)
  header.write(type, 156)
  header.write('ustar\x0000', 257)
  const sum = header.reduce((total, byte) => total + byte, 0)
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)])
}
