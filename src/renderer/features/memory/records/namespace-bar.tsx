import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button'
import { TextInput } from '../../../ui/field'
import styles from '../memory.module.css'
import { Offered } from '../session-fields'

interface NamespaceBarProps {
  readonly namespace: string
  readonly namespaces: readonly string[]
  readonly onChoose: (namespace: string) => void
}

/** The namespace whose records are shown: typed, or picked from those that are known. */
export function NamespaceBar({ namespace, namespaces, onChoose }: NamespaceBarProps) {
  const { t } = useTranslation('memory')
  const id = useId()
  const [typed, setTyped] = useState(namespace)
  return (
    <form
      className={styles.namespace}
      onSubmit={(event) => {
        event.preventDefault()
        onChoose(typed.trim())
      }}
    >
      <TextInput
        mono
        className={styles.grow ?? ''}
        list={id}
        aria-label={t('fields.namespace')}
        placeholder={t('namespace.placeholder')}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      <Offered id={id} values={namespaces} />
      <Button type="submit" disabled={typed.trim() === ''}>
        {t('namespace.show')}
      </Button>
    </form>
  )
}
