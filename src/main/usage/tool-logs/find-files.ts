import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** A file and what is known of it without opening it. */
export interface FoundFile {
  readonly path: string
  /** Below the folder, with `/`. */
  readonly name: string
  readonly size: number
  readonly mtimeMs: number
}

const deepest = 8

/** The files below a folder that are wanted; what cannot be looked into counts as empty. Links to folders are not followed. */
export async function findFiles(folder: string, isWanted: (name: string) => boolean): Promise<FoundFile[]> {
  const found: FoundFile[] = []
  const look = async (below: string, depth: number): Promise<void> => {
    const entries = await readdir(join(folder, below), { withFileTypes: true }).catch(() => [])
    for (const entry of entries) {
      const name = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) {
        if (depth < deepest) await look(name, depth + 1)
      } else if (isWanted(name)) {
        const file = await factsOf(join(folder, name))
        if (file) found.push({ ...file, name })
      }
    }
  }
  await look('', 0)
  return found
}

/** A regular file's size and time; undefined when there is none. */
export async function factsOf(path: string): Promise<Omit<FoundFile, 'name'> | undefined> {
  const facts = await stat(path).catch(() => undefined)
  return facts?.isFile() ? { path, size: facts.size, mtimeMs: facts.mtimeMs } : undefined
}
