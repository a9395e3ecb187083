import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { joinPath, listParentFolders, type ToolEnvironment } from '../core/environment'

const run = promisify(execFile)
const gitTimeoutMs = 3000

/** Whether Git tracks the file or does not ignore it. Runs no hook of the repository. */
export async function isCommittable(path: string, environment: ToolEnvironment): Promise<boolean> {
  const folder = joinPath(environment, path, '..')
  const top = listParentFolders(environment, folder).at(-1) ?? folder
  if (!environment.exists(joinPath(environment, top, '.git'))) return false
  const safeOptions = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null']
  try {
    // `git check-ignore` never reports a tracked file.
    await run('git', [...safeOptions, '-C', top, 'check-ignore', '-q', '--', path], {
      timeout: gitTimeoutMs,
      windowsHide: true,
    })
    return false
  } catch {
    return true
  }
}
