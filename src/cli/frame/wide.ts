/** Measures text that is not plain: its tables are large, so this is a part of the program that is loaded when such text comes. */
import stringWidth from 'string-width';

/** Returns how many columns of a terminal a text takes. */
export const wideWidth = (text: string): number => stringWidth(text);
