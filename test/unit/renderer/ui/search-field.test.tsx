import { fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, it } from 'vitest'
import { SearchField } from '../../../../src/renderer/ui/search-field'
import { renderInApp } from '../support/fake-main'

type SearchFieldProps = Parameters<typeof SearchField>[0]

const fruitNames = ['mango', 'melon', 'plum']

function FruitSearch(props: Pick<SearchFieldProps, 'hasFindKey' | 'onSubmit'>) {
  const [text, setText] = useState('')
  const shownCount = fruitNames.filter((fruit) => fruit.includes(text)).length
  return (
    <SearchField
      {...props}
      label="Search fruits"
      value={text}
      onChange={setText}
      found={{ shown: shownCount, count: 3 }}
    />
  )
}

async function renderField(props: Parameters<typeof FruitSearch>[0] = {}) {
  await renderInApp(<FruitSearch {...props} />)
  return screen.getByRole<HTMLInputElement>('searchbox', { name: 'Search fruits' })
}

describe('a search field', () => {
  it('shows the number of results only during a search', async () => {
    const field = await renderField()
    const counts = (): (string | null)[] => screen.queryAllByText(/ of 3$/).map(({ textContent }) => textContent)
    expect(counts()).toEqual([])
    await userEvent.type(field, 'm')
    expect(counts()).toEqual(['3 of 3'])
    await userEvent.type(field, 'e')
    expect(counts()).toEqual(['1 of 3'])
  })

  it('has a button while there is text, which clears it and keeps the focus in the field', async () => {
    const field = await renderField()
    expect(screen.queryByRole('button')).toBeNull()
    await userEvent.type(field, 'plum')
    await userEvent.click(screen.getByRole('button', { name: 'Clear the search' }))
    expect(field.value).toBe('')
    expect(document.activeElement).toBe(field)
    expect(screen.queryByRole('button')).toBeNull()
  })

  it('is cleared by the first Escape, and only the next one leaves the field', async () => {
    const field = await renderField()
    const searches: string[] = []
    const recordKeyDown = ({ key }: KeyboardEvent): void => void searches.push(key)
    window.addEventListener('keydown', recordKeyDown)
    await userEvent.type(field, 'p')
    await userEvent.keyboard('{Escape}')
    expect([field.value, document.activeElement, searches]).toEqual(['', field, ['p']])
    await userEvent.keyboard('{Escape}')
    expect([document.activeElement, searches]).toEqual([document.body, ['p', 'Escape']])
    window.removeEventListener('keydown', recordKeyDown)
  })

  it('leaves Enter and Escape to an active input method', async () => {
    const searches: string[] = []
    const field = await renderField({ onSubmit: (text) => searches.push(text) })
    await userEvent.type(field, 'mơ')
    for (const key of ['Enter', 'Escape']) fireEvent.keyDown(field, { key, isComposing: true })
    expect([field.value, searches]).toEqual(['mơ', []])
  })

  it('reports the text immediately on Enter, and when it is cleared', async () => {
    const searches: string[] = []
    const field = await renderField({ onSubmit: (text) => searches.push(text) })
    await userEvent.type(field, 'plum{Enter}')
    await userEvent.keyboard('{Escape}')
    expect(searches).toEqual(['plum', ''])
  })

  it.each([
    { name: 'where the page says so', hasFindKey: true, cover: '', isReached: true },
    { name: 'not where it does not', hasFindKey: false, cover: '', isReached: false },
    { name: 'not under a dialog', hasFindKey: true, cover: 'dialog', isReached: false },
  ])('is focused by Ctrl+F $name', async ({ hasFindKey, cover, isReached }) => {
    const field = await renderField({ hasFindKey })
    const overlayElement = document.createElement('div')
    if (cover !== '') overlayElement.setAttribute('role', cover)
    document.body.append(overlayElement)
    await userEvent.keyboard('{Control>}f{/Control}')
    overlayElement.remove()
    expect(document.activeElement === field).toBe(isReached)
    expect(field.getAttribute('aria-keyshortcuts')).toBe(hasFindKey ? 'Control+F Meta+F' : null)
  })
})
