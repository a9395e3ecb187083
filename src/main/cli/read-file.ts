import { readFile } from 'node:fs/promises'
import { AppError } from '@shared/failure'

/** A file of UTF-8 text, or standard input for `-`. Fails with `file.unreadable`. */
export async function readFileOrInput(path: string, readStdin: () => Promise<string>): Promise<string> {
  if (path === '-') return readStdin()
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    throw new AppError('file.unreadable', `${path} cannot be read. Check its path and permissions.`, { cause })
  }
}
