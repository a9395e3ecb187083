import type { DoctorReport, Site } from '@shared/contract'
import { call } from '../../../ipc'
import { createRuns, type Run } from '../../../runs'
import { setupKey, toToolLocation } from '..'

export interface Setup {
  readonly toolId: string
  readonly site: Site
}

export type Examination = Run<DoctorReport>

/** Diagnoses by `setupKey`. */
const runs = createRuns<DoctorReport>()

export const useExaminations = runs.useRuns

const toKey = ({ toolId, site }: Setup): string => setupKey(toolId, site)

export const useExamination = (setup: Setup): Examination | undefined =>
  useExaminations((examinations) => examinations[toKey(setup)])

export const examineSetup = (setup: Setup): Promise<void> =>
  runs.start(toKey(setup), (callId) => call('doctor.run', { ...toToolLocation(setup.toolId, setup.site), callId }))

export const cancelExamination = (setup: Setup): void => runs.cancel(toKey(setup))

/** Diagnoses a setup unless there is a result already. */
export function examineSetupOnce(setup: Setup): void {
  if (runs.get(toKey(setup)) === undefined) void examineSetup(setup)
}

/** Diagnoses setups in sequence. Skips setups that were cancelled while queued. */
export async function examineAllSetups(setups: readonly Setup[]): Promise<void> {
  for (const setup of setups) {
    cancelExamination(setup)
    runs.set(toKey(setup), { state: 'waiting' })
  }
  for (const setup of setups) {
    if (runs.get(toKey(setup))?.state === 'waiting') await examineSetup(setup)
  }
}
