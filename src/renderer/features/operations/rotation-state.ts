import type { OperationView, RotationView } from '@shared/contract'
import { useTranslation } from 'react-i18next'
import { isEnded, needsPerson } from '../rotation/progress'

/** How a rotation stands among the operations; nothing for one that waits for the end of its grace period: there is nothing to see for days. */
export function stateOfRotation(rotation: RotationView): OperationView['state'] | undefined {
  if (needsPerson(rotation)) return 'failed'
  if (isEnded(rotation)) return 'succeeded'
  return rotation.state === 'running' ? 'running' : undefined
}

/** What a rotation does, did, or needs: "Rotating ci". */
export function useRotationWords(): (rotation: RotationView) => string {
  const { t } = useTranslation('rotation')
  return (rotation) => {
    const key = rotation.oldKeyName
    if (rotation.state === 'undone') return t('operation.undone', { key })
    return t(`operation.${stateOfRotation(rotation) ?? 'succeeded'}`, { key })
  }
}
