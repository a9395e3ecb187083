import { once } from 'node:events'
import { createEnvironment, type EngineContext } from '../../../../../src/main/core/environment'
import { type Disk, realDisk } from '../../../../../src/main/core/files/disk'
import { prepareApply, type ToolRequest } from '../../../../../src/main/tools/apply'
import { commit } from '../../../../../src/main/tools/commit'
import { journalPath } from '../../../../../src/main/tools/journal'
import { userSite } from '../../../../../src/main/tools/target'
import { claudeCode } from '../../../../../src/main/tools/targets/claude-code'

/** Command-line argument of a committer, as JSON. */
export interface CommitterInput {
  readonly home: string
  readonly dataDir: string
  readonly request: Omit<ToolRequest, 'key'>
  /** Whether to pause before saving the record of the change, until the parent sends a message. */
  readonly isPausing: boolean
}

/**
 * Messages of a committer. The plan is ready, it pauses before saving the record, it reads the tool's files, it waits
 * for the lock, or it ended with `done` or a failure code.
 */
export type Progress = 'planned' | 'paused' | 'began' | 'waits' | { readonly ended: string }

const sendProgress = (progress: Progress): void => void process.send?.(progress)

/** Sets up a tool in a child process that plans, commits on request and reports its progress. */
async function run({ home, dataDir, request, isPausing }: CommitterInput): Promise<void> {
  const environment = createEnvironment({ home, platform: 'linux', vars: {} })
  const engineContext: EngineContext = { site: userSite, environment, dataDir, disk: realDisk, clock: () => new Date() }
  const plan = await prepareApply(claudeCode, request, engineContext)
  sendProgress('planned')
  await once(process, 'message')
  let isCommitStarted = false
  let pauseCount = isPausing ? 1 : 0
  let report: (() => void) | undefined = () => sendProgress(isCommitStarted ? 'began' : 'waits')
  const reportOnce = (): void => {
    report?.()
    report = undefined
  }
  const disk: Disk = {
    ...realDisk,
    realpath: (path) => {
      isCommitStarted = true
      return realDisk.realpath(path)
    },
    // The first disk access checks the lock's folder. Report readiness after the steps that follow immediately.
    lstat: (path) => realDisk.lstat(path).finally(() => setImmediate(reportOnce)),
    rename: async (from, to) => {
      if (pauseCount > 0 && to === journalPath(claudeCode.id, engineContext)) {
        pauseCount -= 1
        sendProgress('paused')
        await once(process, 'message')
      }
      await realDisk.rename(from, to)
    },
  }
  const commitResult = await commit([{ ...plan, place: { ...engineContext, disk } }], { ...engineContext, disk }).then(
    () => 'done',
    (error: unknown) => String(Reflect.get(Object(Reflect.get(Object(error), 'failure')), 'code') ?? error),
  )
  sendProgress({ ended: commitResult })
  process.disconnect()
}

void run(JSON.parse(process.argv[2] ?? ''))
