import type { PlaygroundDraft } from '@shared/contract'
import { Code, Copy, FileText, SearchCode } from 'lucide-react'
import { useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { call } from '../../ipc'
import type { MenuItem } from '../../ui/menu'
import { toast } from '../../ui/toast'
import type { Chat } from './use-chat'
import { useChatView } from './view-store'

/** Which run is looked into, and which part of it first. */
export interface OpenedInspector {
  readonly runId: string
  readonly face: 'request' | 'code'
}

/** An answer as its menu needs it. */
export interface AnswerAtHand {
  readonly runId: string
  readonly markdown: string
  /** As it is read, without marks. */
  readonly plain: () => string
}

/** What messages can do; stays the same object, so that rows do not draw again. */
export interface LogActions {
  readonly edit: (messageId: string, message: PlaygroundDraft) => void
  readonly beginEdit: (messageId: string | undefined) => void
  readonly regenerate: (answerId: string, modelCode?: string) => void
  readonly choose: (messageId: string) => void
  readonly copy: (text: string) => void
  readonly inspect: (runId: string) => void
  readonly openMenu: (anchor: HTMLElement, answer: AnswerAtHand) => void
  readonly chooseModel: () => void
}

interface Wiring {
  readonly chat: Chat
  readonly open: (anchor: HTMLElement, items: readonly MenuItem[]) => void
  readonly inspect: (opened: OpenedInspector) => void
  readonly onChooseModel: () => void
}

function useCopy(): (text: string) => void {
  const { t } = useTranslation(['playground', 'common'])
  return (text) => {
    call('app.copyText', { text }).then(
      () => toast(t('common:copied')),
      () => toast(t('common:copyFailed'), { tone: 'danger' }),
    )
  }
}

/** The actions of the messages' buttons and menus. */
export function useLogActions(wiring: Wiring): LogActions {
  const { t } = useTranslation('playground')
  const copy = useCopy()
  const latest = useRef({ ...wiring, copy, t })
  latest.current = { ...wiring, copy, t }
  return useMemo((): LogActions => {
    const now = () => latest.current
    const beginEdit = (editing: string | undefined): void => useChatView.getState().set({ editing })
    const itemsOf = ({ runId, markdown, plain }: AnswerAtHand): readonly MenuItem[] => {
      const { t, copy, inspect } = now()
      const copies: readonly MenuItem[] = [
        { label: t('chat.copyMarkdown'), icon: Copy, onSelect: () => copy(markdown) },
        { label: t('chat.copyText'), icon: FileText, onSelect: () => copy(plain()) },
        'separator',
      ]
      return [
        ...(markdown === '' ? [] : copies),
        { label: t('chat.inspect'), icon: SearchCode, onSelect: () => inspect({ runId, face: 'request' }) },
        { label: t('chat.asCode'), icon: Code, onSelect: () => inspect({ runId, face: 'code' }) },
      ]
    }
    return {
      edit: (id, message) => now().chat.edit(id, message, () => beginEdit(undefined)),
      beginEdit,
      regenerate: (answerId, modelCode) => now().chat.regenerate(answerId, modelCode),
      choose: (messageId) => now().chat.choose(messageId),
      copy: (text) => now().copy(text),
      inspect: (runId) => now().inspect({ runId, face: 'request' }),
      openMenu: (anchor, answer) => now().open(anchor, itemsOf(answer)),
      chooseModel: () => now().onChooseModel(),
    }
  }, [])
}
