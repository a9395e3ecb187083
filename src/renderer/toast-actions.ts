import type { MethodInput } from '@shared/contract'
import i18next from 'i18next'
import { showFailureToast } from './i18n/failures'
import { useAction } from './ipc'
import { toast } from './ui/toast'

const t = i18next.getFixedT(null, ['settings', 'common'])

/** Like `useAction`, but shows a failure in a toast. */
export const useToastAction: typeof useAction = (name, options) =>
  useAction(name, { onError: showFailureToast(), ...options })

/** Like `useAction` for a setting. Shows in a toast that it could not be saved. */
export const useSettingAction: typeof useAction = (name, options) => {
  return useAction(name, { onError: showFailureToast({ title: t('notSaved') }), ...options })
}

type ExportMethod =
  | `playground.${'export' | 'exportComparison' | 'exportPrompts'}`
  | `resources.${'export' | 'saveText'}`
  | 'usage.export'

/** Exports to a file that the user chooses, and shows its path in a toast. */
export function useExportAction<N extends ExportMethod>(
  name: N,
  getTitle: (input: MethodInput<N>) => string,
  failedTitle?: string,
): ReturnType<typeof useAction<N>> {
  return useAction<N>(name, {
    onSuccess: ({ path }, input) => {
      if (path !== undefined) void toast(getTitle(input), { description: path })
    },
    onError: showFailureToast(failedTitle === undefined ? {} : { title: failedTitle }),
  })
}

interface RemovalToast {
  readonly title: string
  readonly description?: string
  readonly onRemoved?: () => void
  readonly onRestored?: () => void
}

/** Removes an item, and offers in a toast to restore it. */
export function useUndoableRemoval(
  kind: MethodInput<'playground.remove'>['kind'] | 'profile',
): (id: string, removal: RemovalToast) => void {
  const domain = kind === 'profile' ? 'profiles' : 'playground'
  const removeItem = useToastAction(`${domain}.remove`, { invalidates: [domain] })
  const restoreItem = useToastAction(`${domain}.restore`, { invalidates: [domain] })
  return (id, { title, description, onRemoved, onRestored }) => {
    const item = kind === 'profile' ? { id } : { kind, id }
    // Uses promises instead of callbacks, because the list that called this may be unmounted by then.
    void removeItem.mutateAsync(item).then(
      () => {
        onRemoved?.()
        const undo = (): void => void restoreItem.mutateAsync(item).then(onRestored, () => undefined)
        void toast(title, {
          ...(description && { description }),
          action: { label: t('common:labels.undo'), onClick: undo },
        })
      },
      () => undefined,
    )
  }
}
