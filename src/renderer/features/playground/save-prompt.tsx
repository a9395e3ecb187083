import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { useAction } from '../../ipc'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field, FieldGroup, TextInput } from '../../ui/field'
import { TextArea } from '../../ui/text-area'
import { toast } from '../../ui/toast'
import { ExplainedFailure } from '../failures/explained-failure'
import { bodyOf } from './bodies'
import { lastQuestion } from './branch'
import { draftKey, useDraft } from './drafts'
import { promptsPath } from './paths'
import type { Chat } from './use-chat'

const tagsOf = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((tag) => tag.trim().slice(0, 40))
      .filter((tag) => tag !== ''),
  ),
]

function useSave(onClose: () => void) {
  const { t } = useTranslation('playground')
  const navigate = useNavigate()
  return useAction('playground.savePrompt', {
    invalidates: ['playground'],
    onSuccess: ({ id, name }) => {
      onClose()
      const show = (): void => void navigate(`${promptsPath}/${encodeURIComponent(id)}`)
      void toast(t('savePrompt.saved'), { description: name, action: { label: t('savePrompt.open'), onClick: show } })
    },
  })
}

/** Keeps what is typed, or was asked last, in the prompts library together with the set-up. */
export function SavePrompt({ chat, onClose }: { readonly chat: Chat; readonly onClose: () => void }) {
  const { t } = useTranslation(['playground', 'common'])
  const draft = useDraft(draftKey(chat.conversation?.id))
  const [name, setName] = useState(chat.conversation?.title ?? '')
  const [text, setText] = useState(() => draft.text || (bodyOf(lastQuestion(chat.branch) ?? '')?.text ?? ''))
  const [tags, setTags] = useState('')
  const saving = useSave(onClose)
  const { target, system, parameters } = chat.setup
  const save = (): void =>
    saving.mutate({ name, text, tags: tagsOf(tags).slice(0, 20), system, parameters, ...(target && { target }) })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('savePrompt.title')}
      description={t('savePrompt.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:cancel')}</Button>
          <Button variant="primary" busy={saving.isPending} disabled={name.trim() === ''} onClick={save}>
            {t('common:save')}
          </Button>
        </>
      }
    >
      <FieldGroup>
        {saving.error ? <ExplainedFailure failure={saving.error.failure} /> : null}
        <Field label={t('savePrompt.name')} required>
          <TextInput autoFocus maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />
        </Field>
        <Field label={t('savePrompt.prompt')}>
          <TextArea rows={5} value={text} onChange={(event) => setText(event.target.value)} />
        </Field>
        <Field label={t('savePrompt.tags')} hint={t('savePrompt.tagsHint')} optional>
          <TextInput value={tags} onChange={(event) => setTags(event.target.value)} />
        </Field>
      </FieldGroup>
    </Dialog>
  )
}
