// SPDX-License-Identifier: GPL-2.0
/* What the compiler of an experiment compiles: little of its own, much of the standard library. */
#include <iostream>
#include <map>
#include <regex>
#include <string>

int main()
{
	const std::regex word("([A-Za-z_][A-Za-z_0-9]*)|([0-9]+)");
	std::map<std::string, unsigned int> count;
	std::string line;

	while (std::getline(std::cin, line))
		for (std::sregex_iterator at(line.begin(), line.end(), word), end; at != end; ++at)
			count[at->str()]++;
	for (const auto &[text, n] : count)
		std::cout << text << ' ' << n << '\n';
}
