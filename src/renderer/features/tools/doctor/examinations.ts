import type { DoctorReport, Site } from '@shared/contract'
import type { Failure } from '@shared/failure'
import { create } from 'zustand'
import { call, toFailure } from '../../../ipc'
import { setupKey, toToolLocation } from '..'

export interface Setup {
  readonly toolId: string
  readonly site: Site
}

export type Examination =
  | { readonly state: 'waiting' }
  | { readonly state: 'running'; readonly callId: string }
  | { readonly state: 'done'; readonly report: DoctorReport }
  /** The diagnosis could not run because of this failure. */
  | { readonly state: 'broken'; readonly failure: Failure }

/** Last diagnosis of each setup by `setupKey`, kept until the window closes. */
export const useExaminations = create<Readonly<Record<string, Examination | undefined>>>(() => ({}))

const toKey = ({ toolId, site }: Setup): string => setupKey(toolId, site)

const getExamination = (setup: Setup): Examination | undefined => useExaminations.getState()[toKey(setup)]

const store = (setup: Setup, examination: Examination | undefined): void =>
  useExaminations.setState({ [toKey(setup)]: examination })

export const useExamination = (setup: Setup): Examination | undefined =>
  useExaminations((examinations) => examinations[toKey(setup)])

/** Runs a check. Ignores results of earlier or cancelled runs. */
export async function examineSetup(setup: Setup): Promise<void> {
  cancelExamination(setup)
  const callId = crypto.randomUUID()
  store(setup, { state: 'running', callId })
  const examinationResult = await call('doctor.run', { ...toToolLocation(setup.toolId, setup.site), callId }).then(
    (report): Examination => ({ state: 'done', report }),
    (error: unknown): Examination => ({ state: 'broken', failure: toFailure(error) }),
  )
  const currentExamination = getExamination(setup)
  if (currentExamination?.state === 'running' && currentExamination.callId === callId) store(setup, examinationResult)
}

/** Diagnoses a setup unless there is a result already. */
export function examineSetupOnce(setup: Setup): void {
  if (getExamination(setup) === undefined) void examineSetup(setup)
}

/** Diagnoses setups in sequence. Skips setups that were cancelled while queued. */
export async function examineAllSetups(setups: readonly Setup[]): Promise<void> {
  for (const setup of setups) {
    cancelExamination(setup)
    store(setup, { state: 'waiting' })
  }
  for (const setup of setups) {
    if (getExamination(setup)?.state === 'waiting') await examineSetup(setup)
  }
}

export function cancelExamination(setup: Setup): void {
  const examination = getExamination(setup)
  if (examination?.state === 'waiting') store(setup, undefined)
  if (examination?.state !== 'running') return
  store(setup, undefined)
  // Ignore a failure to cancel, because the diagnosis may already have ended.
  void call('calls.cancel', { callId: examination.callId }).catch(() => undefined)
}
