import type { DoctorReport, Site } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { create } from 'zustand'
import { CallError, call } from '../../ipc'
import { setupKey, toolAt } from '../tools'

/** A tool at a site. */
export interface Setup {
  readonly toolId: string
  readonly site: Site
}

/** Examination of one setup: queued, running, or finished. */
export type Examination =
  | { readonly state: 'waiting' }
  | { readonly state: 'running'; readonly callId: string }
  | { readonly state: 'done'; readonly report: DoctorReport }
  /** It could not even be made. */
  | { readonly state: 'broken'; readonly failure: Failure }

interface ExaminationStore {
  /** By `setupKey`. */
  readonly examinations: Readonly<Record<string, Examination | undefined>>
  readonly put: (key: string, examination: Examination | undefined) => void
}

/** Last examination of every setup. Lives as long as the window. */
export const useExaminations = create<ExaminationStore>((set) => ({
  examinations: {},
  put: (key, examination) => set(({ examinations }) => ({ examinations: { ...examinations, [key]: examination } })),
}))

const keyOf = ({ toolId, site }: Setup): string => setupKey(toolId, site)

const now = (setup: Setup): Examination | undefined => useExaminations.getState().examinations[keyOf(setup)]

const put = (setup: Setup, examination: Examination | undefined): void =>
  useExaminations.getState().put(keyOf(setup), examination)

/** The examination of one setup. */
export const useExamination = (setup: Setup): Examination | undefined =>
  useExaminations(({ examinations }) => examinations[keyOf(setup)])

const failureOf = (error: unknown): Failure =>
  error instanceof CallError ? error.failure : { code: 'internal.unexpected', message: String(error) }

/** Examines one setup. Ignores results of earlier or cancelled examinations. */
export async function examine(setup: Setup): Promise<void> {
  cancelExamination(setup)
  const callId = crypto.randomUUID()
  put(setup, { state: 'running', callId })
  const ended = await call('doctor.run', { ...toolAt(setup.toolId, setup.site), callId }).then(
    (report): Examination => ({ state: 'done', report }),
    (error: unknown): Examination => ({ state: 'broken', failure: failureOf(error) }),
  )
  const present = now(setup)
  if (present?.state === 'running' && present.callId === callId) put(setup, ended)
}

/** Examines one setup unless this window knows already how it is. */
export function examineOnce(setup: Setup): void {
  if (now(setup) === undefined) void examine(setup)
}

/** Examines several, one after the other; those that were cancelled while they waited are left out. */
export async function examineAll(setups: readonly Setup[]): Promise<void> {
  for (const setup of setups) {
    cancelExamination(setup)
    put(setup, { state: 'waiting' })
  }
  for (const setup of setups) {
    if (now(setup)?.state === 'waiting') await examine(setup)
  }
}

/** Stops the examination of a setup, or takes it out of the queue. */
export function cancelExamination(setup: Setup): void {
  const examination = now(setup)
  if (examination?.state === 'waiting') put(setup, undefined)
  if (examination?.state !== 'running') return
  put(setup, undefined)
  // It may have ended already.
  void call('calls.cancel', { callId: examination.callId }).catch(() => undefined)
}
