import type { ConnectionView } from '@shared/contract'
import { ArrowRight, Copy } from 'lucide-react'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { call } from '../../ipc'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'
import { useCopyCall } from './copy-call'
import type { Resource, ResourceAction, Subject } from './resource'
import { targetOf, thingPath } from './subject'
import { useText } from './use-text'

interface RowMenu {
  readonly connection: ConnectionView
  readonly resource: Resource
  readonly onShow: (subject: Subject) => void
  readonly onDo: (action: ResourceAction, subject: Subject) => void
  /** More lines, after those of the declaration. */
  readonly more?: ((subject: Subject) => readonly MenuItem[]) | undefined
}

/** Copies a text through main and says so. */
export function useCopyAloud(): (text: string) => void {
  const { t } = useTranslation(['resources', 'common'])
  return (text) => {
    call('app.copyText', { text }).then(
      () => toast(t('common:copied'), { description: text }),
      () => toast(t('common:copyFailed'), { tone: 'danger' }),
    )
  }
}

/** What can be done with the row of a list: open, copy its identifier, the declared actions, the call as code. */
export function useRowMenu({ connection, resource, onShow, onDo, more }: RowMenu) {
  const { t } = useTranslation('resources')
  const text = useText()
  const navigate = useNavigate()
  const copy = useCopyAloud()
  const codeItems = useCopyCall()
  return useCallback(
    (subject: Subject): readonly MenuItem[] => {
      const { id, name, scope } = subject
      const { get, actions } = resource
      const open = (): void => {
        if (get && id !== undefined) void navigate(thingPath(resource, scope, id))
        else onShow(subject)
      }
      const item = (action: ResourceAction): MenuItem => ({
        label: text(action.label, name),
        icon: action.icon,
        danger: action.isDanger,
        disabled: id === undefined,
        onSelect: () => onDo(action, subject),
      })
      return [
        { label: t(get && id !== undefined ? 'open' : 'showFields'), icon: ArrowRight, onSelect: open },
        ...(id === undefined ? [] : [{ label: t('copyId'), icon: Copy, onSelect: () => copy(id) }]),
        ...(get && id !== undefined
          ? codeItems({
              connectionId: connection.id,
              operation: get.operation,
              path: { ...targetOf(resource, subject).path },
            })
          : []),
        ...(more?.(subject) ?? []),
        ...(actions.length > 0 ? (['separator'] as const) : []),
        ...actions.map(item),
      ]
    },
    [t, text, navigate, copy, codeItems, connection, resource, onShow, onDo, more],
  )
}
