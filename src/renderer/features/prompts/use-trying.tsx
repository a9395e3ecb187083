import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Button } from '../../ui/button'
import { Dialog } from '../../ui/dialog'
import { Field, FieldGroup } from '../../ui/field'
import { TextArea } from '../../ui/text-area'
import type { TriedPrompt } from '../compare/templates'
import { useNewComparison } from '../compare/use-new-comparison'
import { filled, variablesIn } from '../compare/variables'
import { changeDraft, draftKey } from '../playground/drafts'
import { chatPath } from '../playground/paths'
import { changeSetup } from '../playground/setups'
import { useDefaultTarget } from '../playground/targets'
import styles from './prompts.module.css'

/** Puts a prompt into the field of a new conversation, and goes there. */
function useIntoChat(): (prompt: TriedPrompt) => void {
  const navigate = useNavigate()
  const fallback = useDefaultTarget()
  return ({ text, system, target = fallback, parameters }) => {
    changeSetup(undefined, { system, parameters, ...(target && { target }) })
    changeDraft(draftKey(undefined), ({ attachments }) => ({ text, attachments }))
    void navigate(chatPath())
  }
}

interface FillDialogProps {
  readonly prompt: TriedPrompt
  readonly onClose: () => void
  readonly onFilled: (prompt: TriedPrompt) => void
}

/** Asks for the values of a prompt's variables; what stays empty stays as it is written. */
function FillDialog({ prompt, onClose, onFilled }: FillDialogProps) {
  const { t } = useTranslation('prompts')
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''))
  const go = (): void => onFilled({ ...prompt, text: filled(prompt.text, given), system: filled(prompt.system, given) })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('fill.title')}
      description={t('fill.text')}
      footer={
        <Button variant="primary" onClick={go}>
          {t('fill.button')}
        </Button>
      }
    >
      <FieldGroup>
        {variablesIn(prompt.text, prompt.system).map((name, at) => (
          <Field key={name} label={name}>
            <TextArea
              className={styles.filled ?? ''}
              autoFocus={at === 0}
              rows={1}
              value={values[name] ?? ''}
              onChange={(event) => setValues({ ...values, [name]: event.target.value })}
            />
          </Field>
        ))}
      </FieldGroup>
    </Dialog>
  )
}

/** Where a prompt is tried: in a new conversation, after its variables were filled in, or in a new comparison. */
export function useTrying() {
  const intoChat = useIntoChat()
  const { beginWith, isPending } = useNewComparison()
  const [waiting, setWaiting] = useState<TriedPrompt>()
  const inChat = (prompt: TriedPrompt): void =>
    variablesIn(prompt.text, prompt.system).length > 0 ? setWaiting(prompt) : intoChat(prompt)
  const dialog = waiting ? (
    <FillDialog
      prompt={waiting}
      onClose={() => setWaiting(undefined)}
      onFilled={(prompt) => {
        setWaiting(undefined)
        intoChat(prompt)
      }}
    />
  ) : null
  return { inChat, inComparison: beginWith, isPending, dialog }
}
