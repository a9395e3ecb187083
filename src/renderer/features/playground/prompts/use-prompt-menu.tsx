import type { PromptSummary } from '@shared/contract'
import { fillVariables, listVariables } from '@shared/prompt-variables'
import { Columns3, Copy, Download, MessageSquare, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useCopyText } from '../../../copy-text'
import { useFailureToast } from '../../../i18n/failures'
import { call } from '../../../ipc'
import { chatPath } from '../../../paths'
import { useExportAction, useUndoableRemoval } from '../../../toast-actions'
import { Dialog } from '../../../ui/dialog'
import { FieldGroup, TextAreaField } from '../../../ui/field'
import type { MenuItem } from '../../../ui/menu'
import { changeDraft, changeSetup, draftKey, useDefaultTarget } from '..'
import { type PromptCopy, useNewComparison } from '../compare'

/** Form for the values of a prompt's variables. A variable without a value stays in the text as written. */
function FillVariablesDialog(props: {
  readonly prompt: PromptCopy
  readonly onClose: () => void
  readonly onFilled: (prompt: PromptCopy) => void
}) {
  const { prompt, onClose, onFilled } = props
  const { t } = useTranslation('prompts')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const nonemptyValues = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  const fill = (text: string): string => fillVariables(text, nonemptyValues)
  const submitValues = (): void => onFilled({ ...prompt, text: fill(prompt.text), system: fill(prompt.system) })
  return (
    <Dialog
      onClose={onClose}
      title={t('fill.title')}
      description={t('fill.text')}
      footer={[{ label: t('fill.button'), variant: 'primary', onClick: submitValues }]}
    >
      <FieldGroup>
        {listVariables(prompt.text, prompt.system).map((name, index) => (
          <TextAreaField
            key={name}
            label={name}
            className="field-sizing-content max-h-40 min-h-8.5"
            autoFocus={index === 0}
            rows={1}
            value={values[name] ?? ''}
            onChange={(text) => setValues({ ...values, [name]: text })}
          />
        ))}
      </FieldGroup>
    </Dialog>
  )
}

export function useOpenPrompt() {
  const navigate = useNavigate()
  const fallback = useDefaultTarget()
  const openInChat = ({ text, system, target = fallback, parameters }: PromptCopy): void => {
    changeSetup(undefined, { system, parameters, ...(target && { target }) })
    changeDraft(draftKey(undefined), ({ attachments }) => ({ text, attachments }))
    void navigate(chatPath())
  }
  const { beginWith, isPending } = useNewComparison()
  const [pendingPrompt, setPendingPrompt] = useState<PromptCopy>()
  const tryInChat = (prompt: PromptCopy): void =>
    listVariables(prompt.text, prompt.system).length > 0 ? setPendingPrompt(prompt) : openInChat(prompt)
  const dialog = pendingPrompt ? (
    <FillVariablesDialog
      prompt={pendingPrompt}
      onClose={() => setPendingPrompt(undefined)}
      onFilled={(prompt) => {
        setPendingPrompt(undefined)
        openInChat(prompt)
      }}
    />
  ) : null
  return { inChat: tryInChat, inComparison: beginWith, isPending, dialog }
}

type PromptRef = Pick<PromptSummary, 'id' | 'name'>

export function useRemovePrompt(onRemoved: () => void = () => undefined): (prompt: PromptRef) => void {
  const { t } = useTranslation('prompts')
  const removePrompt = useUndoableRemoval('playground.removePrompt', 'playground.restorePrompt')
  return ({ id, name }) => removePrompt(id, { title: t('removed', { name }), onRemoved })
}

export function useExportPrompts(): (ids: readonly string[]) => void {
  const { t } = useTranslation('prompts')
  const { mutate } = useExportAction('playground.exportPrompts', ({ ids }) => t('exported', { count: ids.length }))
  return (ids) => mutate({ ids: [...ids] })
}

export function useCopyPrompt(): (text: string) => void {
  const { t } = useTranslation('prompts')
  const copyText = useCopyText()
  return (text) => copyText(text, { title: t('copied') })
}

export function usePromptMenu({ inChat, inComparison }: ReturnType<typeof useOpenPrompt>) {
  const { t } = useTranslation('prompts')
  const onError = useFailureToast()()
  const remove = useRemovePrompt()
  const exportPrompts = useExportPrompts()
  const copy = useCopyPrompt()
  const loadNewestPrompt = (id: string, use: (prompt: PromptCopy) => void): void => {
    call('playground.prompt', { id }).then(({ name, versions: [newest] }) => {
      if (newest) use({ name, ...newest })
    }, onError)
  }
  return ({ id, name }: PromptRef): readonly MenuItem[] => [
    { label: t('menu.chat'), icon: MessageSquare, onSelect: () => loadNewestPrompt(id, inChat) },
    { label: t('menu.compare'), icon: Columns3, onSelect: () => loadNewestPrompt(id, inComparison) },
    { label: t('menu.copy'), icon: Copy, onSelect: () => loadNewestPrompt(id, ({ text }) => copy(text)) },
    { label: t('menu.export'), icon: Download, onSelect: () => exportPrompts([id]) },
    'separator',
    { label: t('menu.remove'), icon: Trash2, danger: true, onSelect: () => remove({ id, name }) },
  ]
}
