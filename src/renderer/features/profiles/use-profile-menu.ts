import type { ProfileView } from '@shared/contract'
import { ArrowRightLeft, Pencil, SlidersHorizontal, Trash2, Upload } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useFailureWords } from '../../i18n/failures'
import { type CallError, useAction } from '../../ipc'
import { profilePath, switchProfilePath } from '../../paths'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'

/** Says in a toast that something failed, and what helps. */
function useSayFailure(): (error: CallError) => void {
  const words = useFailureWords()
  return ({ failure }) => {
    const { title, remedy } = words(failure)
    void toast(title, { tone: 'danger', description: remedy })
  }
}

/** Removes a profile; a toast brings it back. */
function useRemove(): (profile: ProfileView) => void {
  const { t } = useTranslation('profiles')
  const onError = useSayFailure()
  const removing = useAction('profiles.remove', { invalidates: ['profiles'] })
  const restoring = useAction('profiles.restore', { invalidates: ['profiles'], onError })
  return ({ id, name }) =>
    removing.mutate(
      { id },
      {
        onError,
        onSuccess: () =>
          void toast(t('removed', { name }), {
            description: t('removedHint'),
            action: { label: t('undo'), onClick: () => restoring.mutate({ id }) },
          }),
      },
    )
}

/** Setups that belong to a folder or a distribution of this machine stay out of a file. */
const isPortable = ({ site }: ProfileView['entries'][number]): boolean => site.kind === 'user'

function useExport(): (profile: ProfileView) => void {
  const { t } = useTranslation('profiles')
  const onError = useSayFailure()
  const exporting = useAction('profiles.export', { onError })
  return ({ id, name, entries }) => {
    const left = entries.filter((entry) => !isPortable(entry)).length
    exporting.mutate(
      { id },
      {
        onSuccess: ({ saved, path }) => {
          if (!saved) return
          const hint = left > 0 ? t('exportedPartly', { count: left }) : t('exportedHint')
          void toast(t('exported', { name }), { description: path === undefined ? hint : `${hint} ${path}` })
        },
      },
    )
  }
}

/** Everything that can be done with a profile beside switching to it. */
export function useProfileMenu(
  onRename: (profile: ProfileView) => void,
): (profile: ProfileView) => readonly MenuItem[] {
  const { t } = useTranslation('profiles')
  const navigate = useNavigate()
  const remove = useRemove()
  const exportIt = useExport()
  return (profile) => [
    {
      label: t('menu.switch'),
      icon: ArrowRightLeft,
      disabled: profile.missing.length > 0,
      onSelect: () => void navigate(switchProfilePath(profile.id)),
    },
    { label: t('menu.edit'), icon: SlidersHorizontal, onSelect: () => void navigate(profilePath(profile.id)) },
    { label: t('menu.rename'), icon: Pencil, onSelect: () => onRename(profile) },
    {
      label: t('menu.export'),
      icon: Upload,
      disabled: !profile.entries.some(isPortable),
      onSelect: () => exportIt(profile),
    },
    'separator',
    { label: t('menu.remove'), icon: Trash2, danger: true, onSelect: () => remove(profile) },
  ]
}
