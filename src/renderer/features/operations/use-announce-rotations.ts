import type { RotationView } from '@shared/contract'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { toast } from '../../ui/toast'
import { rotationPath } from '../rotation/paths'
import { failureOf, needsPerson } from '../rotation/progress'

/** Says in a toast that a rotation which ran has come to its end or stands still, unless its own page is on the screen. */
export function useAnnounceRotations(rotations: readonly RotationView[] | undefined): void {
  const { t } = useTranslation(['rotation', 'operations'])
  const { pathname } = useLocation()
  const navigate = useNavigate()
  const running = useRef(new Set<string>())
  useEffect(() => {
    for (const rotation of rotations ?? []) {
      const { id, state, oldKeyName: key } = rotation
      if (state === 'running') running.current.add(id)
      else if (running.current.delete(id) && !pathname.startsWith('/rotate/')) {
        const action = { label: t('operations:look'), onClick: () => void navigate(rotationPath(id)) }
        // Stopped without a failure: somebody just pressed Stop.
        if (needsPerson(rotation) && failureOf(rotation)) {
          void toast(t('rotation:view.stuck', { key }), { tone: 'danger', action })
        } else if (state === 'done' || state === 'waiting') void toast(t('rotation:view.rotated', { key }), { action })
      }
    }
  }, [rotations, pathname, navigate, t])
}
