import { AppError } from '@shared/failure'
import { requireDistribution } from './distributions'

/** The hosts under which Windows shares the files of distributions: the present one, and that of older Windows 10. */
export type WslHost = 'wsl.localhost' | 'wsl$'

/** The share of Windows for an absolute path in a distribution, as `\\wsl.localhost\Ubuntu\home\x`. */
export function toShare(distribution: string, path: string, host: WslHost = 'wsl.localhost'): string {
  if (!path.startsWith('/')) throw notAPath('A path in a Linux distribution begins with a slash.')
  // Windows takes these apart or refuses them, and what it would find is another file.
  if (/[\\:*?"<>|\p{Cc}]/u.test(path)) throw notAPath('Windows cannot reach a path with such characters in it.')
  return `\\\\${host}\\${requireDistribution(distribution)}${path.replace(/\/+/g, '\\')}`
}

/** The distribution and the path in it behind a share of Windows; undefined for any other path. */
export function fromShare(path: string): { readonly distribution: string; readonly path: string } | undefined {
  const [, distribution, rest = ''] = /^[\\/]{2}(?:wsl\.localhost|wsl\$)[\\/]([^\\/]+)(.*)$/is.exec(path) ?? []
  if (distribution === undefined) return undefined
  return { distribution, path: rest.replace(/[\\/]+/g, '/') || '/' }
}

/** Where a distribution has a path of a Windows drive, as `/mnt/c/Users/x`; undefined for a share or a relative path. */
export function toMount(path: string, root = '/mnt'): string | undefined {
  const [, drive, rest = ''] = /^([A-Za-z]):(?:[\\/](.*))?$/s.exec(path) ?? []
  if (drive === undefined) return undefined
  const tail = rest.replace(/[\\/]+/g, '/')
  return `${root === '/' ? '' : root}/${drive.toLowerCase()}${tail === '' ? '' : `/${tail}`}`
}

/** True for an absolute path of Linux, also when the `join` of Windows turned its slashes. */
export function isLinuxPath(path: string): boolean {
  return /^(?:\/(?!\/)|\\(?!\\))/.test(path)
}

const notAPath = (message: string): AppError => new AppError('input.invalid', message)
