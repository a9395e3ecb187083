import clsx from 'clsx'
import { lazy, Suspense } from 'react'
import styles from './markdown.module.css'
import { useTurn } from './turns'

/** Setting a formula costs more than reading as much text. */
const costOfCharacter = 20
const longest = 4_000

const SetFormula = lazy(async () => ({ default: (await import('./set-formula')).SetFormula }))

/** A formula in TeX, set as MathML; its source until it can be set. */
export function Formula({ source, isDisplayed = false }: { readonly source: string; readonly isDisplayed?: boolean }) {
  const isTurn = useTurn(source.length * costOfCharacter)
  const isShort = source.length <= longest
  const plain = (
    <code className={styles.inlineCode} data-waiting={isShort || undefined}>
      {source}
    </code>
  )
  const formula =
    isTurn && isShort ? (
      <Suspense fallback={plain}>
        <SetFormula source={source} isDisplayed={isDisplayed} />
      </Suspense>
    ) : (
      plain
    )
  return <span className={clsx(styles.formula, isDisplayed && styles.displayed)}>{formula}</span>
}
