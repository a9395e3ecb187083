import type { RegisterEntry } from '@shared/contract'
import { Ban, CircleCheck, Layers, Pencil, RotateCw, Send } from 'lucide-react'
import { useCallback, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCall } from '../../ipc'
import type { MenuItem } from '../../ui/menu'
import { handoutPath } from '../handouts/paths'
import { planPath } from '../plans/use-plan-menu'
import { rotateKeyPath } from '../rotation/paths'
import { rotatableKeys } from '../rotation/rotatable'
import { keyOf } from './entries'
import { useEnable } from './use-revoke'

/** Which entries can be rotated: their key is kept here, and an account makes keys for their plan. */
export function useCanRotate(): (entry: RegisterEntry) => boolean {
  const { data: plans } = useCall('plans.list', {})
  return useMemo(() => {
    const keys = new Set(rotatableKeys(plans ?? []).map(keyOf))
    return (entry) => entry.status !== 'gone' && keys.has(keyOf(entry))
  }, [plans])
}

interface Doing {
  readonly onEdit: (entry: RegisterEntry) => void
  readonly onRevoke: (entries: readonly RegisterEntry[]) => void
}

/** What can be done with a key from its row. */
export function useEntryMenu({ onEdit, onRevoke }: Doing): (entry: RegisterEntry) => readonly MenuItem[] {
  const { t } = useTranslation(['register', 'rotation'])
  const navigate = useNavigate()
  const canRotate = useCanRotate()
  const enable = useEnable()
  const itemsOf = (entry: RegisterEntry): readonly MenuItem[] => [
    { label: t('register:edit'), icon: Pencil, onSelect: () => onEdit(entry) },
    {
      label: t('rotation:rotateMenu'),
      icon: RotateCw,
      disabled: !canRotate(entry),
      hint: entry.isKeptHere ? undefined : t('rotation:keepFirst'),
      onSelect: () => void navigate(rotateKeyPath(entry)),
    },
    {
      label: t('register:handOutThis'),
      icon: Send,
      disabled: !entry.isKeptHere,
      onSelect: () => void navigate(handoutPath(entry)),
    },
    {
      label: t('rotation:slots.toPlan'),
      icon: Layers,
      onSelect: () => void navigate(`${planPath(entry.planId)}?tab=keys`),
    },
    'separator',
    entry.status === 'DISABLED'
      ? { label: t('register:enable'), icon: CircleCheck, onSelect: () => void enable([entry]) }
      : {
          label: t('register:revoke'),
          icon: Ban,
          danger: true,
          disabled: entry.status === 'gone' || entry.origin === undefined,
          onSelect: () => onRevoke([entry]),
        },
  ]
  // The table draws its rows anew when this changes: it asks for the menu only when one is opened.
  const latest = useRef(itemsOf)
  latest.current = itemsOf
  return useCallback((entry) => latest.current(entry), [])
}
