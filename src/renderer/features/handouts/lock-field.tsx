import { useTranslation } from 'react-i18next'
import { Field, TextInput } from '../../ui/field'
import { RadioCards } from '../../ui/radio-cards'
import { problemOfRecipient } from './recipient'
import type { Handout } from './use-handout'

const words = { secret: 'recipientSecret', wrong: 'recipientWrong' } as const

/** How the kit is locked: with a passphrase that the app makes up, or for the receiver's own public key. */
export function LockField({ form }: { readonly form: Handout }) {
  const { t } = useTranslation('handouts', { keyPrefix: 'form' })
  const { draft, change } = form
  const problem = problemOfRecipient(draft.recipient)
  const take = (text: string): void => {
    // A secret key has no business here: it is not kept, not even in the field.
    change({ recipient: problemOfRecipient(text) === 'secret' ? 'AGE-SECRET-KEY-' : text })
  }
  return (
    <>
      <RadioCards
        label={t('lock')}
        columns={2}
        value={draft.lock}
        onValueChange={(value) => change({ lock: value === 'recipient' ? 'recipient' : 'passphrase' })}
        options={[
          { value: 'passphrase', label: t('passphrase'), hint: t('passphraseHint') },
          { value: 'recipient', label: t('recipient'), hint: t('recipientHint') },
        ]}
      />
      {draft.lock === 'recipient' ? (
        <Field
          label={t('recipientLabel')}
          required
          error={problem === undefined || problem === 'empty' ? undefined : t(words[problem])}
        >
          <TextInput
            mono
            autoFocus
            placeholder={t('recipientPlaceholder')}
            value={draft.recipient}
            onChange={(event) => take(event.target.value)}
          />
        </Field>
      ) : null}
    </>
  )
}
