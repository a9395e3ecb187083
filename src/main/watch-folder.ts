import { mkdirSync, watch } from 'node:fs'

const settleMs = 150

/** Calls `onChange` once things in a folder have changed, by any process; the folder is made if it is not there. */
export function watchFolder(folder: string, onChange: () => void): void {
  let timer: NodeJS.Timeout | undefined
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const watcher = watch(folder, () => {
      clearTimeout(timer)
      timer = setTimeout(onChange, settleMs)
    })
    // Where watching fails, the window still asks again whenever it gets the focus.
    watcher.on('error', () => watcher.close())
  } catch {
    // As above.
  }
}
