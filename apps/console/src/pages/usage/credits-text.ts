import { numberText } from '../../ui';

const milliPerCredit = 1_000;

export function creditsText(milliCredits: number): string {
  return `${numberText(milliCredits / milliPerCredit)} credits`;
}
