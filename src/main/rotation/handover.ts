import type { Handover } from '@shared/contract'
import type { RotationRecord } from '../settings/records'
import type { RotationPorts } from './ports'

/** Those who hold the old key of a rotation, and how far they have the new one. */
export const handoverOf = (
  { planId, oldKey, newKey }: RotationRecord,
  ports: Pick<RotationPorts, 'handoverOf'>,
): readonly Handover[] => ports.handoverOf({ planId, oldKeyId: oldKey.id, newKeyId: newKey.id })

/** Whether the old key still has to work: somebody holds it who has not confirmed the new one, and the last day is not over. */
export function waitsForHolders(record: RotationRecord, ports: Pick<RotationPorts, 'handoverOf' | 'clock'>): boolean {
  const { disableBy } = record
  if (disableBy !== undefined && Date.parse(disableBy) <= ports.clock().getTime()) return false
  return handoverOf(record, ports).some(({ state }) => state !== 'confirmed')
}
