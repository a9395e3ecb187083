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

const createExamination =
  ({ toolId, site }: Setup) =>
  (callId: string): Promise<DoctorReport> =>
    call('doctor.run', { ...toToolLocation(toolId, site), callId })

export const examineSetup = (setup: Setup): Promise<void> => runs.start(toKey(setup), createExamination(setup))

export const cancelExamination = (setup: Setup): void => runs.cancel(toKey(setup))

/** Diagnoses a setup unless there is a result already. */
export function examineSetupOnce(setup: Setup): void {
  if (runs.get(toKey(setup)) === undefined) void examineSetup(setup)
}

/** Diagnoses setups in sequence. Skips setups that were cancelled while queued. */
export const examineAllSetups = (setups: readonly Setup[]): Promise<void> =>
  runs.startAll(new Map(setups.map((setup) => [toKey(setup), createExamination(setup)])))
