import { randomInt } from 'node:crypto'
import { wordlist } from '@scure/bip39/wordlists/english.js'
import { Secret } from '../secret'

const howMany = 6

/** Six words of 2048, joined by hyphens: 66 bits that nobody chose. */
export function newPassphrase(): Secret {
  const word = (): string => wordlist[randomInt(wordlist.length)] ?? ''
  return new Secret(Array.from({ length: howMany }, word).join('-'))
}

/** A passphrase as it was typed: six words of ours in whatever case and with whatever between them; all else to the letter. */
export function readPassphrase(text: string): string {
  const words = text
    .toLowerCase()
    .split(/[\s\p{Pd}_,.]+/u)
    .filter((word) => word !== '')
  const isOurs = words.length === howMany && words.every((word) => wordlist.includes(word))
  return isOurs ? words.join('-') : text.replace(/\r?\n$/, '')
}
