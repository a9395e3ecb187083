import type { MethodInput } from '@shared/contract'
import { ArrowRight, Copy, SquareTerminal } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useCopyText } from '../../../copy-text'
import { useFailureToast } from '../../../i18n/failures'
import { call } from '../../../ipc'
import type { MenuItem } from '../../../ui/menu'
import { toast } from '../../../ui/toast'
import { toTargetParameters } from './form-values'
import { type Resource, type ResourceAction, type ResourceSubject, useResourceText } from './resource'
import { useService } from './service-gate'

/** Returns a function that copies a text and shows a toast. The main process writes to the clipboard. */
export function useCopyWithToast(): (text: string) => void {
  const copyText = useCopyText()
  return (text) => copyText(text, { description: text })
}

export function useRowMenu(options: {
  readonly resource: Resource
  readonly onOpen: (subject: ResourceSubject) => void
  readonly onDo: (action: ResourceAction, subject: ResourceSubject) => void
  /** Additional menu items, shown after those of the resource's declaration. */
  readonly more?: ((subject: ResourceSubject) => readonly MenuItem[]) | undefined
}) {
  const { resource, onOpen, onDo, more } = options
  const connectionId = useService().connection.id
  const { t } = useTranslation('resources')
  const text = useResourceText()
  const copy = useCopyWithToast()
  const codeItems = useCopyCall()
  return (subject: ResourceSubject): readonly MenuItem[] => {
    const { id, name } = subject
    const { get, actions } = resource
    const hasPage = get !== undefined && id !== undefined
    return [
      { label: t(hasPage ? 'open' : 'showFields'), icon: ArrowRight, onSelect: () => onOpen(subject) },
      ...(id === undefined ? [] : [{ label: t('copyId'), icon: Copy, onSelect: () => copy(id) }]),
      ...(hasPage
        ? codeItems({ connectionId, operation: get.operation, path: toTargetParameters(resource, subject).path })
        : []),
      ...(more?.(subject) ?? []),
      ...(actions.length > 0 ? (['separator'] as const) : []),
      ...actions.map((action) => ({
        label: text(action.label, name),
        icon: action.icon,
        danger: action.isDanger,
        disabled: id === undefined,
        onSelect: () => onDo(action, subject),
      })),
    ]
  }
}

export type CopiedCall = Omit<MethodInput<'resources.code'>, 'language'>

const languages = ['curl', 'companion'] as const

/** Menu items that copy a call as code, with a variable in place of the token. */
export function useCopyCall(): (callArguments: CopiedCall) => readonly MenuItem[] {
  const { t } = useTranslation('resources')
  const showFailureToast = useFailureToast()
  const copy = async (callArguments: CopiedCall, language: (typeof languages)[number]): Promise<void> => {
    try {
      const { code } = await call('resources.code', { ...callArguments, language })
      await call('app.copyText', { text: code })
      void toast(t(`code.copied.${language}`), { description: t(`code.hint.${language}`) })
    } catch (error) {
      showFailureToast()(error)
    }
  }
  return (callArguments) =>
    languages.map((language) => ({
      label: t(`code.${language}`),
      icon: SquareTerminal,
      onSelect: () => void copy(callArguments, language),
    }))
}
