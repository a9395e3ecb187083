import type { HandoutResult } from '@shared/contract'
import { FileKey2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { CopyText } from '../../copy-text'
import { Code } from '../../ui/code'
import { Section } from '../../ui/page'
import { Row, RowMark, Rows } from '../../ui/rows'
import { useHandoutsStore } from './handouts-store'
import { PassphraseButtons } from './passphrase-buttons'

function Kit({ result }: { readonly result: HandoutResult }) {
  const { t } = useTranslation('handouts')
  const { holder, keyName, path } = result
  return (
    <Row
      leading={
        <RowMark>
          <FileKey2 size={14} strokeWidth={1.8} />
        </RowMark>
      }
      title={holder.name}
      description={path === undefined ? keyName : <Code quiet>{path}</Code>}
      trailing={
        <>
          <PassphraseButtons result={result} isCompact />
          {path === undefined ? null : <CopyText text={path} label={t('result.copyPath')} />}
        </>
      }
    />
  )
}

/** The kits that were made since the window opened, with their passphrases as long as main holds them; `except` is shown elsewhere. */
export function MadeKits({ except }: { readonly except?: string | undefined }) {
  const { t } = useTranslation('handouts')
  const all = useHandoutsStore((store) => store.made)
  const made = all.filter(({ id }) => id !== except)
  if (made.length === 0) return null
  return (
    <Section title={t('result.before')}>
      <Rows label={t('result.before')}>
        {made.map((result) => (
          <Kit key={result.id} result={result} />
        ))}
      </Rows>
    </Section>
  )
}
